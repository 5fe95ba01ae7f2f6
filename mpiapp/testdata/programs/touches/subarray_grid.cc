/* ranks=4 about: templated 2D Cartesian grid with subarray halos, polled with MPI_Testall behind a RAII handle */
#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace grid {

class Datatype {
 public:
  Datatype(std::array<int, 2> full, std::array<int, 2> sub, std::array<int, 2> start, MPI_Datatype base) {
    MPI_Type_create_subarray(2, full.data(), sub.data(), start.data(), MPI_ORDER_C, base, &t_);
    MPI_Type_commit(&t_);
  }
  ~Datatype() { MPI_Type_free(&t_); }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  MPI_Datatype get() const { return t_; }

 private:
  MPI_Datatype t_;
};

template <class T> MPI_Datatype mpi_type();
template <> MPI_Datatype mpi_type<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype mpi_type<float>() { return MPI_FLOAT; }

template <class T>
class Field {
 public:
  Field(int nx, int ny, T init) : nx_(nx), ny_(ny), d_(std::size_t(nx + 2) * (ny + 2), init) {}
  T& operator()(int i, int j) { return d_[std::size_t(i) * (ny_ + 2) + j]; }
  const T& operator()(int i, int j) const { return d_[std::size_t(i) * (ny_ + 2) + j]; }
  T* raw() { return d_.data(); }
  int nx() const { return nx_; }
  int ny() const { return ny_; }

 private:
  int nx_, ny_;
  std::vector<T> d_;
};

template <class T>
class HaloExchanger {
 public:
  HaloExchanger(MPI_Comm cart, int nx, int ny) : cart_(cart) {
    std::array<int, 2> full{nx + 2, ny + 2};
    auto mk = [&](int sx, int sy, int ox, int oy) {
      return std::make_unique<Datatype>(full, std::array<int, 2>{sx, sy}, std::array<int, 2>{ox, oy}, mpi_type<T>());
    };
    send_ = {mk(1, ny, 1, 1), mk(1, ny, nx, 1), mk(nx, 1, 1, 1), mk(nx, 1, 1, ny)};
    recv_ = {mk(1, ny, 0, 1), mk(1, ny, nx + 1, 1), mk(nx, 1, 1, 0), mk(nx, 1, 1, ny + 1)};
    MPI_Cart_shift(cart_, 0, 1, &nb_[0], &nb_[1]);
    MPI_Cart_shift(cart_, 1, 1, &nb_[2], &nb_[3]);
  }
  void start(Field<T>& f) {
    for (int d = 0; d < 4; ++d)
      MPI_Irecv(f.raw(), 1, recv_[d]->get(), nb_[d], d, cart_, &req_[d]);
    for (int d = 0; d < 4; ++d)
      MPI_Isend(f.raw(), 1, send_[d]->get(), nb_[d], d ^ 1, cart_, &req_[4 + d]);
  }
  bool poll() {
    int flag = 0;
    MPI_Testall(8, req_.data(), &flag, MPI_STATUSES_IGNORE);
    return flag != 0;
  }

 private:
  MPI_Comm cart_;
  std::array<std::unique_ptr<Datatype>, 4> send_, recv_;
  std::array<int, 4> nb_;
  std::array<MPI_Request, 8> req_;
};

}  // namespace grid

template <class F>
static void for_box(int i0, int i1, int j0, int j1, F&& f) {
  for (int i = i0; i < i1; ++i)
    for (int j = j0; j < j1; ++j) f(i, j);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool faulty = argc > 1 && std::string(argv[1]) == "faulty";
  int rank, dims[2] = {2, 2}, periods[2] = {1, 0};
  MPI_Comm cart;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Comm_rank(cart, &rank);
  {
    const int nx = 300, ny = 260;
    grid::Field<double> u(nx, ny, rank + 1.0);
    grid::Field<double> v(nx, ny, 0.0);
    grid::HaloExchanger<double> hx(cart, nx, ny);
    for (int step = 0; step < 4; ++step) {
      hx.start(u);
      // inner sites need no ghosts; they only read u (also the sent rim)
      for_box(2, nx, 2, ny, [&](int i, int j) {
        v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
      });
      // sites strictly inside the rim, and the ghost corners, belong to no message
      for_box(3, nx - 1, 3, ny - 1, [&](int i, int j) { u(i, j) = v(i, j); });
      u(0, 0) = u(nx + 1, ny + 1) = 0.0;
      if (faulty && step == 1) {
        for_box(1, nx + 1, 1, 2, [&](int i, int j) {
          u(i, j) = 0.5 * u(i, j) + 1.0; /* LAGGARD: race */
        });
      }
      while (!hx.poll()) {
      }
      if (!(faulty && step == 1)) {
        for_box(1, nx + 1, 1, 2, [&](int i, int j) { u(i, j) = 0.5 * u(i, j) + 1.0; });
      }
      for_box(1, nx + 1, 2, 3, [&](int i, int j) { u(i, j) += 0.01 * u(i, 0); });
    }
    double s = 0, tot = 0;
    for_box(1, nx + 1, 1, ny + 1, [&](int i, int j) { s += u(i, j); });
    MPI_Reduce(&s, &tot, 1, MPI_DOUBLE, MPI_SUM, 0, cart);
    if (rank == 0) std::printf("sum %.6f\n", tot);
  }
  MPI_Comm_free(&cart);
  MPI_Finalize();
  return 0;
}
