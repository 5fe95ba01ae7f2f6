// tune: rank=3 size=4 stop=MPI_Recv:1
// A solver is set up in stages; what fails is cleaned up and thrown on, and the
// driver falls back to a simpler method. One stage asks for a square grid of ranks
// by the wrong number.
#include <mpi.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

enum class Method { Direct, Iterative };

struct Plan {
	Method method;
	int depth;
	std::vector<int> partners;
};

class Grid {
public:
	Grid(int rank, int size) : rank_(rank), size_(size), side_(0) {} // slice
	void arrange()
	{
		while (side_ * side_ < size_) // slice
			side_++; // slice
		if (side_ * side_ != size_ + rank_ / 3) // root
			throw std::invalid_argument("the ranks are no square"); // slice
	}
	int side() const { return side_; }

private:
	int rank_, size_, side_;
};

class Solver {
public:
	explicit Solver(Plan &plan) : plan_(plan) {} // slice
	void setup(Grid &grid)
	{
		std::unique_ptr<double[]> scratch(new double[64]);
		try {
			grid.arrange(); // slice
			for (int i = 0; i < grid.side(); i++)
				plan_.partners.push_back(i);
		} catch (...) { // slice
			plan_.partners.clear();
			throw; // slice
		}
		scratch[0] = grid.side();
	}

private:
	Plan &plan_;
};

static Plan choose(int rank, int size)
{
	Plan plan{Method::Direct, 1, {}}; // slice
	Grid grid(rank, size); // slice
	Solver solver(plan); // slice
	try {
		solver.setup(grid); // slice
	} catch (const std::invalid_argument &e) { // slice
		std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
		plan.method = Method::Iterative; // slice
	}
	return plan; // slice
}

static void factorize(const Plan &plan, int rank, double *x)
{
	MPI_Status st;
	if (plan.method == Method::Direct) // slice
		x[0] += plan.depth;
	else
		MPI_Recv(x, 1, MPI_DOUBLE, rank - 1, 12, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	double x[1] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Plan plan = choose(rank, size); // slice
	factorize(plan, rank, x); // slice
	std::printf("%g\n", x[0]);
	MPI_Finalize();
	return 0;
}
