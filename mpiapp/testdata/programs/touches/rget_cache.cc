/* ranks=4 about: a page cache over a distributed array with request-based RMA (Rget prefetch, Rput write-back) */
#include <mpi.h>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pgas {

constexpr int kPage = 512;  // doubles
constexpr int kPagesPerRank = 8;

struct Page {
  std::unique_ptr<double[]> d{new double[kPage]()};
  MPI_Request req = MPI_REQUEST_NULL;
  bool pending() const { return req != MPI_REQUEST_NULL; }
  double& operator[](int i) { return d[i]; }
};

class Array {
 public:
  explicit Array(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    MPI_Win_allocate(MPI_Aint(sizeof(double)) * kPage * kPagesPerRank, sizeof(double), MPI_INFO_NULL, comm, &base_,
                     &win_);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_, 0, win_);
    for (int i = 0; i < kPage * kPagesPerRank; ++i) base_[i] = rank_ + 1e-4 * i;
    MPI_Win_unlock(rank_, win_);
    MPI_Barrier(comm);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win_);
  }
  ~Array() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  Array(const Array&) = delete;
  int pages() const { return size_ * kPagesPerRank; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  void prefetch(int page, Page& p) {
    MPI_Rget(p.d.get(), kPage, MPI_DOUBLE, owner(page), disp(page), kPage, MPI_DOUBLE, win_, &p.req);
  }
  void write_back(int page, Page& p) {
    MPI_Rput(p.d.get(), kPage, MPI_DOUBLE, owner(page), disp(page), kPage, MPI_DOUBLE, win_, &p.req);
  }
  void sync(MPI_Comm comm) {
    MPI_Win_flush_all(win_);
    MPI_Barrier(comm);
  }

 private:
  static int owner(int page) { return page / kPagesPerRank; }
  static MPI_Aint disp(int page) { return MPI_Aint(page % kPagesPerRank) * kPage; }
  int rank_ = 0, size_ = 0;
  double* base_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

class Cache {
 public:
  explicit Cache(Array& a) : a_(a) {}
  void want(int page) {
    auto& p = map_[page];
    if (!p) {
      p = std::make_unique<Page>();
      a_.prefetch(page, *p);
    }
  }
  Page& get(int page) {
    want(page);
    Page& p = *map_[page];
    if (p.pending()) MPI_Wait(&p.req, MPI_STATUS_IGNORE);
    return p;
  }
  Page& get_unchecked(int page) { return *map_[page]; }
  void clear() {
    for (auto& kv : map_)
      if (kv.second->pending()) MPI_Wait(&kv.second->req, MPI_STATUS_IGNORE);
    map_.clear();
  }

 private:
  Array& a_;
  std::map<int, std::unique_ptr<Page>> map_;
};

}  // namespace pgas

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool faulty = argc > 1 && std::string(argv[1]) == "faulty";
  double sum = 0, total = 0, quick = 0;
  int rank = 0;
  {
    pgas::Array arr(MPI_COMM_WORLD);
    pgas::Cache cache(arr);
    rank = arr.rank();
    // read phase: prefetch two pages ahead
    for (int k = 0; k < arr.pages(); ++k) {
      const int pg = (k + rank * 3) % arr.pages();
      cache.want(pg);
      cache.want((pg + 1) % arr.pages());
      cache.want((pg + 2) % arr.pages());
      if (faulty && k == 4) {
        auto& early = cache.get_unchecked((pg + 2) % arr.pages());
        for (int i = 0; i < pgas::kPage; i += 8)
          quick += early[i];  // LAGGARD: race
      }
      auto& p = cache.get(pg);
      for (int i = 0; i < pgas::kPage; ++i) sum += p[i];
      p[0] = 0.0;  // private copy, complete
    }
    cache.clear();
    arr.sync(MPI_COMM_WORLD);

    // write phase: every rank owns the pages k with k % size == rank
    std::vector<std::pair<int, pgas::Page>> dirty;
    for (int k = rank; k < arr.pages(); k += arr.size()) {
      dirty.emplace_back(k, pgas::Page{});
      auto& p = dirty.back().second;
      for (int i = 0; i < pgas::kPage; ++i) p[i] = k + 0.5;
      arr.write_back(k, p);
      sum += p[1];  // reading an origin buffer of a put
    }
    for (auto& kp : dirty) {
      MPI_Wait(&kp.second.req, MPI_STATUS_IGNORE);
      kp.second[0] = -1.0;
    }
    arr.sync(MPI_COMM_WORLD);
    auto& q = cache.get((rank * 5 + 1) % arr.pages());
    sum += q[0];
    cache.clear();
    arr.sync(MPI_COMM_WORLD);
  }
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (quick < -1e300) std::printf("quick %g\n", quick);
  if (rank == 0) std::printf("sum %.6f\n", total);
  MPI_Finalize();
  return 0;
}
