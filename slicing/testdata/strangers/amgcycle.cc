// tune: rank=0 size=3 stop=MPI_Allreduce:9
// A multigrid solver on a row of cells adds up a residual on every level; the depth of
// the hierarchy is taken from the rows of this rank where all rows should count.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

struct Rows {
	int global;
	int local;
	int first;
};

static Rows splitRows(int global, int rank, int size)
{
	Rows r{};
	const int base = global / size; // slice
	const int extra = global % size; // slice
	r.global = global;
	r.local = base + (rank < extra ? 1 : 0); // slice
	r.first = rank * base + (rank < extra ? rank : extra);
	return r; // slice
}

// The kinds of smoothers: the base does the sweeps, the derived one the update of a cell.
template <class Derived>
class Smoother {
public:
	explicit Smoother(int sweeps) : sweeps_(sweeps) {}
	void apply(std::vector<double> &x, const std::vector<double> &b) const
	{
		const Derived &self = static_cast<const Derived &>(*this);
		for (int s = 0; s < sweeps_; s++)
			for (std::size_t i = 0; i < x.size(); i++) {
				const double left = i > 0 ? x[i - 1] : 0.0;
				const double right = i + 1 < x.size() ? x[i + 1] : 0.0;
				x[i] = self.update(x[i], b[i], left + right);
			}
	}

private:
	int sweeps_;
};

class Jacobi : public Smoother<Jacobi> {
public:
	Jacobi(int sweeps, double omega) : Smoother<Jacobi>(sweeps), omega_(omega) {}
	double update(double x, double b, double around) const
	{
		return (1 - omega_) * x + omega_ * 0.5 * (b + around);
	}

private:
	double omega_;
};

struct Level {
	void size(int n)
	{
		x.assign(n, 0.0);
		b.assign(n, 0.0);
	}
	std::vector<double> x, b;
	std::unique_ptr<Level> coarser;
};

struct Options {
	int coarsest = 3; // slice
	int maxLevels = 8; // slice
	int cycles = 2; // slice
	int sweeps = 2;
	double omega = 0.7;
};

class Hierarchy {
public:
	Hierarchy(const Rows &rows, const Options &opt)
	{
		int n = rows.local;
		const int depth = depthFor(rows, opt); // slice
		top_ = std::make_unique<Level>(); // slice
		top_->size(n);
		Level *at = top_.get(); // slice
		for (int l = 1; l < depth; l++) { // slice
			n = n > 1 ? n / 2 : 1;
			at->coarser = std::make_unique<Level>(); // slice
			at = at->coarser.get(); // slice
			at->size(n);
		}
	}
	Level *top() const { return top_.get(); } // slice
	int depth() const
	{
		int d = 0;
		for (const Level *l = top_.get(); l; l = l->coarser.get())
			d++;
		return d;
	}

private:
	// Halves until the rest is small enough to be solved in place.
	static int depthFor(const Rows &rows, const Options &opt)
	{
		int depth = 1; // slice
		int n = rows.local; // root
		while (n > opt.coarsest && depth < opt.maxLevels) { // slice
			n = n / 2; // slice
			depth++; // slice
		}
		return depth; // slice
	}
	std::unique_ptr<Level> top_;
};

class Comm {
public:
	explicit Comm(MPI_Comm comm) : comm_(comm) {} // slice
	double sum(double mine) const
	{
		double all = 0;
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm_); // stop
		return all;
	}

private:
	MPI_Comm comm_;
};

template <class S>
class Multigrid {
public:
	Multigrid(const Hierarchy &h, const S &smoother, const Comm &comm) : h_(h), smoother_(smoother), comm_(comm) {} // slice
	void cycle() { descend(h_.top()); } // slice
	double residual() const { return norm_; }

private:
	void descend(Level *l)
	{
		smoother_.apply(l->x, l->b);
		double square = 0;
		for (std::size_t i = 0; i < l->x.size(); i++)
			square += (l->b[i] - l->x[i]) * (l->b[i] - l->x[i]);
		norm_ = std::sqrt(comm_.sum(square)); // slice
		if (!l->coarser) // slice
			return;
		Level *c = l->coarser.get(); // slice
		for (std::size_t i = 0; i < c->b.size(); i++)
			c->b[i] = 0.5 * (l->b[2 * i] - l->x[2 * i]);
		descend(c); // slice
		for (std::size_t i = 0; i < c->x.size(); i++)
			l->x[2 * i] += c->x[i];
		smoother_.apply(l->x, l->b);
	}
	const Hierarchy &h_;
	const S &smoother_;
	const Comm &comm_;
	double norm_ = 0;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Options opt; // slice
	const Rows rows = splitRows(94, rank, size); // slice
	const Comm comm(MPI_COMM_WORLD); // slice
	const Hierarchy hierarchy(rows, opt); // slice
	const Jacobi jacobi(opt.sweeps, opt.omega);
	for (int i = 0; i < rows.local; i++)
		hierarchy.top()->b[i] = std::sin(0.1 * (rows.first + i));
	Multigrid<Jacobi> solver(hierarchy, jacobi, comm); // slice
	for (int c = 0; c < opt.cycles; c++) // slice
		solver.cycle(); // slice
	std::printf("%d: %d levels, residual %g\n", rank, hierarchy.depth(), solver.residual());
	MPI_Finalize();
	return 0;
}
