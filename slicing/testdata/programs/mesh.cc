// report: rank=3 size=6 stop=MPI_Sendrecv:1
// A base class keeps the period of a mesh, and a derived one sets it wrongly.
#include <mpi.h>
#include <cstdio>

class Topology {
public:
	explicit Topology(int rank) : rank_(rank), period_(1) {} // slice
	int east() const { return row() * period_ + (rank_ + 1) % period_; } // slice
	int west() const;
	int row() const { return rank_ / period_; } // slice

protected:
	void set_period(int n) { period_ = n; } // slice
	int rank_, period_;
};

int Topology::west() const
{
	int column = rank_ % period_; // slice
	if (column == 0) // slice
		column = period_; // slice
	return row() * period_ + column - 1; // slice
}

class Mesh : public Topology {
public:
	Mesh(int rank, int size, int width) : Topology(rank), cells_(0) // slice
	{
		set_period(size / width + 1); // root
		cells_ = size * width;
	}
	int cells() const { return cells_; }

private:
	int cells_;
};

int main(int argc, char **argv)
{
	int rank, size;
	double a = 1, b = 0;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Mesh mesh(rank, size, 2); // slice
	int to = mesh.east(); // slice
	int from = mesh.west(); // slice
	MPI_Sendrecv(&a, 1, MPI_DOUBLE, to, 1, &b, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &st); // stop
	std::printf("%g %d\n", a + b, mesh.cells());
	MPI_Finalize();
	return 0;
}
