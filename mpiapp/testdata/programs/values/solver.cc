// The ranks of a ring wait for each other. Behind a line stands what its names hold then.
#include <mpi.h>

#include <memory>
#include <vector>

namespace app {

enum class Phase { Idle, Halo, Reduce };

struct Base {
	int level = 3;
	virtual ~Base() = default;
};

class Solver : public Base {
public:
	Solver(int rank, int size) : rank_(rank), size_(size) { peers_.push_back((rank + 1) % size); }

	virtual void step(const int &iteration, std::unique_ptr<double> &factor)
	{
		phase_ = Phase::Halo;
		int got = -1;
		if (this->rank_ >= 0 && peers_.size() > 0 && !done_) // HOLDS: done_ = false
			MPI_Recv(&got, 1, MPI_INT, (rank_ + size_ - 1) % size_, iteration + level, // HOLDS: size_ = 4, iteration = 0, level = 3
			         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		phase_ = Phase::Reduce;
		residual_ *= *factor;
	}

private:
	int rank_, size_;
	double residual_ = 1.5;
	Phase phase_ = Phase::Idle;
	std::vector<int> peers_;
	bool done_ = false;
};

} // namespace app

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int rank, size;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size); // HOLDS: size = 4
	auto solver = std::make_unique<app::Solver>(rank, size);
	auto factor = std::make_unique<double>(0.5);
	for (int it = 0; it < 3; ++it) // HOLDS: it = 0
		solver->step(it, factor);
	MPI_Finalize();
}
