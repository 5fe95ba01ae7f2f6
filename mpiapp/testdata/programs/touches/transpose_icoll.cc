/* ranks=4 about: FFT-like transpose with Ialltoall plus Iallgatherv of row norms, overlapped through a task list */
#include <mpi.h>
#include <complex>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using cplx = std::complex<double>;

class Pending {
 public:
  using Then = std::function<void()>;
  MPI_Request* slot(Then then) {
    items_.push_back({MPI_REQUEST_NULL, std::move(then)});
    return &items_.back().req;
  }
  explicit Pending(std::size_t cap) { items_.reserve(cap); }
  void drain() {
    std::vector<MPI_Request> r;
    for (auto& i : items_) r.push_back(i.req);
    for (std::size_t left = r.size(); left > 0; --left) {
      int idx = MPI_UNDEFINED;
      MPI_Waitany(int(r.size()), r.data(), &idx, MPI_STATUS_IGNORE);
      if (idx == MPI_UNDEFINED) break;
      if (items_[idx].then) items_[idx].then();
    }
    items_.clear();
  }

 private:
  struct Item {
    MPI_Request req;
    Then then;
  };
  std::vector<Item> items_;
};

class Slab {
 public:
  Slab(int n, MPI_Comm comm) : n_(n), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    rows_ = n / size_;
    a_.resize(std::size_t(rows_) * n_);
    pack_.resize(a_.size());
    recv_.resize(a_.size());
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < n_; ++j) at(i, j) = cplx(rank_ * rows_ + i, 0.01 * j);
    // uneven norms: rank r contributes r + 1 values
    counts_.resize(size_);
    std::iota(counts_.begin(), counts_.end(), 1);
    displs_.resize(size_);
    for (int r = 0, d = 0; r < size_; d += counts_[r] + 1, ++r) displs_[r] = d;  // one gap element each
    norms_.assign(displs_.back() + counts_.back() + 1, 0.0);
    mine_.assign(counts_[rank_], 0.0);
  }
  cplx& at(int i, int j) { return a_[std::size_t(i) * n_ + j]; }

  void pack() {
    const int b = rows_;
    std::size_t k = 0;
    for (int r = 0; r < size_; ++r)
      for (int j = 0; j < b; ++j)
        for (int i = 0; i < b; ++i) pack_[k++] = at(i, r * b + j);
  }
  void unpack() {
    const int b = rows_;
    std::size_t k = 0;
    for (int r = 0; r < size_; ++r)
      for (int j = 0; j < b; ++j)
        for (int i = 0; i < b; ++i) at(j, r * b + i) = recv_[k++];
  }
  void post(Pending& p) {
    const int blk = 2 * rows_ * rows_;
    MPI_Ialltoall(pack_.data(), blk, MPI_DOUBLE, recv_.data(), blk, MPI_DOUBLE, comm_,
                  p.slot([this] { unpack(); }));
    for (std::size_t i = 0; i < mine_.size(); ++i) mine_[i] = std::norm(at(int(i), 0));
    MPI_Iallgatherv(mine_.data(), int(mine_.size()), MPI_DOUBLE, norms_.data(), counts_.data(), displs_.data(),
                    MPI_DOUBLE, comm_, p.slot([this] { mine_[0] = 0.0; }));
  }
  void overlap() {
    for (auto& z : a_) z *= 1.0000001;                  // neither sent nor received
    for (int r = 0; r < size_; ++r) norms_[displs_[r] + counts_[r]] = -1.0;  // gaps of the allgatherv
    for (const auto& z : pack_) check_ += z.real();     // send buffer, read only
  }
  void reuse_pack_buffer() {
    for (std::size_t i = 0; i < pack_.size(); i += 64)
      pack_[i] = cplx(0.0, 0.0);  // LAGGARD: race
  }
  double total() const {
    double s = check_ * 1e-6;
    for (int r = 0; r < size_; ++r)
      for (int i = 0; i < counts_[r]; ++i) s += norms_[displs_[r] + i];
    return s;
  }

 private:
  int n_, rows_ = 0, rank_ = 0, size_ = 1;
  MPI_Comm comm_;
  std::vector<cplx> a_, pack_, recv_;
  std::vector<int> counts_, displs_;
  std::vector<double> norms_, mine_;
  double check_ = 0.0;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool faulty = argc > 1 && std::string(argv[1]) == "faulty";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double t = 0;
  for (int n : {16, 256}) {
    Slab s(n, MPI_COMM_WORLD);
    for (int it = 0; it < 3; ++it) {
      Pending p(2);
      s.pack();
      s.post(p);
      s.overlap();
      if (faulty && it == 1) s.reuse_pack_buffer();
      p.drain();
    }
    t += s.total();
  }
  if (rank == 0) std::printf("total %.6f\n", t);
  MPI_Finalize();
  return 0;
}
