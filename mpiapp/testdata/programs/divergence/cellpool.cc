// np: 4
// odd: 2
// kind: skipped
// call: MPI_Allreduce 68
// made: MPI_Comm_dup 35
// branch: 94
// why: the cells that rank 2 needs are more than it may have, the pool throws, and main, which catches it, goes on to the last barrier

// Adaptive upwind advection of a pulse on the periodic unit interval.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace par {

// Scoped MPI runtime.
class Runtime {
public:
    Runtime(int &argc, char **&argv) { MPI_Init(&argc, &argv); }
    ~Runtime() { MPI_Finalize(); }
    Runtime(const Runtime &) = delete;
};

class Communicator {
public:
    explicit Communicator(MPI_Comm parent)
    {
        MPI_Comm_dup(parent, &comm_);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
    }
    ~Communicator() { MPI_Comm_free(&comm_); }
    Communicator(const Communicator &) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    int left() const { return (rank_ + size_ - 1) % size_; }
    int right() const { return (rank_ + 1) % size_; }

    template <class T> T sum(T v) const { return reduce(v, MPI_SUM); }
    template <class T> T max(T v) const { return reduce(v, MPI_MAX); }
    void barrier() const { MPI_Barrier(comm_); }

    // Pass a value to the right neighbour, return the one from the left.
    double shift_right(double out) const
    {
        double in = 0.0;
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, right(), 7, &in, 1, MPI_DOUBLE, left(), 7, comm_,
                     MPI_STATUS_IGNORE);
        return in;
    }

private:
    static MPI_Datatype type_of(double) { return MPI_DOUBLE; }
    static MPI_Datatype type_of(long) { return MPI_LONG; }

    template <class T> T reduce(T v, MPI_Op op) const
    {
        const MPI_Datatype type = type_of(v);
        T r{};
        MPI_Allreduce(&v, &r, 1, type, op, comm_);
        return r;
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
};

} // namespace par

namespace amr {

struct Config {
    int patches_per_rank = 8, cells = 8, max_level = 3;
    int steps = 60, regrid_every = 5;
    long budget = 4096;
    double threshold = 0.02;
};

// Accounts for the cell storage handed out on this rank.
class CellPool {
public:
    explicit CellPool(long budget) : budget_(budget) {}

    std::unique_ptr<std::vector<double>> acquire(std::size_t n)
    {
        if (used_ + static_cast<long>(n) > budget_)
            throw std::length_error("cell pool exhausted: " + std::to_string(used_) + " + " +
                                    std::to_string(n) + " > " + std::to_string(budget_));
        used_ += static_cast<long>(n);
        return std::make_unique<std::vector<double>>(n);
    }
    void release(std::unique_ptr<std::vector<double>> p) { used_ -= static_cast<long>(p->size()); }
    long used() const { return used_; }

private:
    long budget_, used_ = 0;
};

struct Patch {
    int level = 0;
    double x0 = 0.0, len = 0.0;
    std::unique_ptr<std::vector<double>> u;

    double dx() const { return len / static_cast<double>(u->size()); }
    double jump() const
    {
        double j = 0.0;
        for (std::size_t i = 1; i < u->size(); ++i)
            j = std::max(j, std::fabs((*u)[i] - (*u)[i - 1]));
        return j;
    }
};

// The leaf patches of this rank, ordered along x.
class Forest {
public:
    Forest(const par::Communicator &comm, const Config &cfg)
        : comm_(comm), cfg_(cfg), pool_(cfg.budget)
    {
        const int total = cfg.patches_per_rank * comm.size();
        for (int k = 0; k < cfg.patches_per_rank; ++k) {
            Patch p;
            p.len = 1.0 / total;
            p.x0 = (comm.rank() * cfg.patches_per_rank + k) * p.len;
            p.u = pool_.acquire(cfg.cells);
            patches_.push_back(std::move(p));
        }
    }

    template <class F> void fill(F &&f)
    {
        for (auto &p : patches_)
            for (std::size_t i = 0; i < p.u->size(); ++i)
                (*p.u)[i] = f(p.x0 + (i + 0.5) * p.dx());
    }

    // Bring every patch to the level its solution asks for; returns the
    // number of cells over all ranks.
    long regrid()
    {
        for (auto &p : patches_) {
            const int want = wanted_level(p);
            if (want != p.level)
                resample(p, want);
        }
        return comm_.sum(pool_.used());
    }

    std::vector<Patch> &patches() { return patches_; }
    const std::vector<Patch> &patches() const { return patches_; }

private:
    int wanted_level(const Patch &p) const
    {
        const double j = p.jump();
        if (j > cfg_.threshold)
            return std::min(p.level + 1, cfg_.max_level);
        if (j < 0.1 * cfg_.threshold)
            return std::max(p.level - 1, 0);
        return p.level;
    }

    void resample(Patch &p, int level)
    {
        auto fine = pool_.acquire(static_cast<std::size_t>(cfg_.cells) << level);
        for (std::size_t i = 0; i < fine->size(); ++i)
            (*fine)[i] = level > p.level ? (*p.u)[i / 2]
                                         : 0.5 * ((*p.u)[2 * i] + (*p.u)[2 * i + 1]);
        pool_.release(std::exchange(p.u, std::move(fine)));
        p.level = level;
    }

    const par::Communicator &comm_;
    const Config &cfg_;
    CellPool pool_;
    std::vector<Patch> patches_;
};

} // namespace amr

namespace {

// Small queues give each rank less memory.
amr::Config config_of(const std::string &queue)
{
    amr::Config c;
    if (queue == "hang")
        c.budget = 260;
    return c;
}

class Solver {
public:
    Solver(const par::Communicator &comm, const amr::Config &cfg)
        : comm_(comm), cfg_(cfg), forest_(comm, cfg)
    {
        auto pulse = [](double x) { return std::exp(-3000.0 * (x - 0.62) * (x - 0.62)); };
        forest_.fill(pulse);
        forest_.regrid();
        forest_.fill(pulse);
    }

    void run()
    {
        for (int s = 1; s <= cfg_.steps; ++s) {
            advance(stable_dt());
            if (s % cfg_.regrid_every == 0) {
                const long cells = forest_.regrid();
                report(s, cells);
            }
        }
    }

private:
    double stable_dt() const
    {
        double inv = 0.0;
        for (const auto &p : forest_.patches())
            inv = std::max(inv, 1.0 / p.dx());
        return 0.8 / comm_.max(inv);
    }

    void advance(double dt)
    {
        double flux = comm_.shift_right(forest_.patches().back().u->back());
        for (auto &p : forest_.patches()) {
            const double c = dt / p.dx();
            for (double &u : *p.u) {
                const double out = u;
                u -= c * (out - flux);
                flux = out;
            }
        }
    }

    void report(int step, long cells) const
    {
        double mass = 0.0;
        for (const auto &p : forest_.patches())
            for (double u : *p.u)
                mass += u * p.dx();
        mass = comm_.sum(mass);
        if (comm_.rank() == 0)
            std::printf("step %4d  cells %5ld  mass %.10f\n", step, cells, mass);
    }

    const par::Communicator &comm_;
    const amr::Config &cfg_;
    amr::Forest forest_;
};

void simulate(const par::Communicator &comm, const std::string &queue)
{
    const amr::Config cfg = config_of(queue);
    Solver(comm, cfg).run();
}

} // namespace

int main(int argc, char **argv)
{
    par::Runtime runtime(argc, argv);
    par::Communicator comm(MPI_COMM_WORLD);
    int status = 0;
    try {
        simulate(comm, argc > 1 ? argv[1] : "good");
    } catch (const std::exception &e) {
        std::cerr << "[" << comm.rank() << "] error: " << e.what() << std::endl;
        status = 1;
    }
    comm.barrier();
    if (comm.rank() == 0)
        std::printf("finished with status %d\n", status);
    return status;
}
