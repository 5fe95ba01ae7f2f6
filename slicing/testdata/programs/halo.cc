// tune: rank=1 size=6 stop=MPI_Sendrecv:1
// A grid object computes its lower neighbour with the wrong extent.
#include <mpi.h>
#include <cstdio>

class Grid {
public:
	Grid(int rank, int nx, int ny) : rank_(rank), nx_(nx), ny_(ny), low_(-1), high_(-1), steps_(0) // slice
	{
		connect(); // slice
	}
	void exchange(double *row, double *ghost);
	int steps() const { return steps_; }

private:
	void connect();
	int rank_, nx_, ny_, low_, high_, steps_;
};

void Grid::connect()
{
	int x = rank_ % nx_; // slice
	int y = rank_ / nx_; // slice
	high_ = ((y + 1) % ny_) * nx_ + x; // slice
	low_ = ((y + ny_ - 1) % ny_) * ny_ + x; // root
}

void Grid::exchange(double *row, double *ghost)
{
	MPI_Status st;
	steps_++;
	MPI_Sendrecv(row, 16, MPI_DOUBLE, high_, 3, ghost, 16, MPI_DOUBLE, low_, 3, MPI_COMM_WORLD, &st); // stop
}

static double norm(const double *v, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += v[i] * v[i];
	return s;
}

int main(int argc, char **argv)
{
	int rank, size;
	double row[16] = {0}, ghost[16] = {0}, total = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Grid grid(rank, 3, size / 3); // slice
	for (int it = 0; it < 20; it++) { // slice
		grid.exchange(row, ghost); // slice
		total += norm(ghost, 16);
	}
	std::printf("%g %d\n", total, grid.steps());
	MPI_Finalize();
	return 0;
}
