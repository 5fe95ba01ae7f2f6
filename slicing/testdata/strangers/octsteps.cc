// tune: rank=1 size=4 stop=MPI_Recv:6
// Steps over an octree end early when little changes: the test takes what changed
// on this rank, not the sum over all, and the first to be content leaves the rest.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

namespace oct {

struct Cell;
using CellPtr = std::unique_ptr<Cell>;
using Visitor = std::function<void(Cell &)>;

struct Cell {
	double size, value, change;
	int depth;
	std::array<CellPtr, 8> kids;

	Cell(double s, double v, int d) : size(s), value(v), change(0), depth(d) {} // slice

	bool leaf() const { return !kids[0]; } // slice

	void split()
	{
		for (int k = 0; k < 8; k++) { // slice
			const double v = value * (k % 2 ? 0.75 : 1.25); // slice
			kids[k] = std::make_unique<Cell>(size / 2, v, depth + 1); // slice
		}
	}

	void refine(double limit, int deepest)
	{
		if (depth >= deepest || value * size < limit) // slice
			return;
		split(); // slice
		for (auto &k : kids) // slice
			k->refine(limit, deepest); // slice
	}

	void leaves(const Visitor &visit)
	{
		if (leaf()) // slice
			visit(*this); // slice
		else
			for (auto &k : kids) // slice
				k->leaves(visit); // slice
	}
};

class Domain {
public:
	Domain(int rank, double load) : rank_(rank), root_(std::make_unique<Cell>(1.0, load, 0)) {} // slice

	void refine(double limit, int deepest) { root_->refine(limit, deepest); } // slice

	void relax(double rate)
	{
		root_->leaves([rate](Cell &c) { // slice
			const double before = c.value; // slice
			c.value -= rate * (c.value - 1); // slice
			c.change = before - c.value; // slice
		});
	}

	double change() const
	{
		double sum = 0; // slice
		root_->leaves([&sum](Cell &c) { // slice
			const double d = c.change * c.size; // slice
			sum += d * d; // slice
		});
		return sum; // slice
	}

	double total() const
	{
		double sum = halo_;
		root_->leaves([&sum](Cell &c) { sum += c.value * c.size * c.size * c.size; });
		return sum;
	}

	void halo(int left, int right)
	{
		double out[1] = {root_->value + rank_}, in[1] = {0};
		MPI_Status st;
		if (right >= 0)
			MPI_Send(out, 1, MPI_DOUBLE, right, 90, MPI_COMM_WORLD);
		if (left >= 0) // slice
			MPI_Recv(in, 1, MPI_DOUBLE, left, 90, MPI_COMM_WORLD, &st); // stop
		halo_ = in[0];
	}

private:
	int rank_;
	double halo_ = 0;
	CellPtr root_;
};

} // namespace oct

struct Control {
	int steps = 40; // slice
	double tolerance = 1e-3; // slice
	double rate = 0.5; // slice
};

static Control control(int argc, char **argv)
{
	Control c; // slice
	if (argc > 1) // slice
		c.steps = std::atoi(argv[1]); // slice
	if (argc > 2) // slice
		c.tolerance = std::atof(argv[2]); // slice
	return c; // slice
}

static int march(oct::Domain &domain, const Control &c, int rank, int size)
{
	int step = 0; // slice
	while (step < c.steps) { // slice
		domain.halo(rank - 1, rank + 1 < size ? rank + 1 : -1); // slice
		domain.relax(c.rate); // slice
		const double own = domain.change(); // slice
		double all = own;
		MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (rank == 0)
			std::printf("%d: %g of %g\n", step, own, all);
		step++; // slice
		if (own < c.tolerance) // root
			break;
	}
	return step;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const Control c = control(argc, argv); // slice
	oct::Domain domain(rank, 1.5 + 2.0 * rank); // slice
	domain.refine(1.2, 2); // slice
	const int steps = march(domain, c, rank, size); // slice
	std::printf("%d: %d steps, %g\n", rank, steps, domain.total());
	MPI_Finalize();
	return 0;
}
