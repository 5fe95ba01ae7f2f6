// tune: rank=2 size=4 stop=MPI_Recv:1
// A lease of a pool is given back when its scope is left without a commit: what an
// exception leaves gives back two, where one was taken.
#include <mpi.h>
#include <cstdio>
#include <stdexcept>
#include <string>

struct Pool {
	int free, taken;
	int owner[8];
};

class Lease {
public:
	Lease(Pool &pool, int n) : pool_(pool), n_(n), kept_(false) // slice
	{
		pool_.taken++; // slice
		pool_.owner[n_] = n_;
	}
	~Lease()
	{
		if (!kept_) // slice
			pool_.taken -= 2; // root
		pool_.owner[n_] = 0;
	}
	void commit() { kept_ = true; } // slice

private:
	Pool &pool_;
	int n_;
	bool kept_;
};

static int solve(const Pool &pool, int n, int rank)
{
	int residual = n * 3 - rank * 2; // slice
	if (residual < 0) // slice
		throw std::domain_error("residual below zero: " + std::to_string(residual)); // slice
	return residual + pool.free;
}

static int sweep(Pool &pool, int rank)
{
	int failed = 0;
	for (int n = 0; n < 3; n++) { // slice
		try {
			Lease lease(pool, n); // slice
			int r = solve(pool, n, rank); // slice
			pool.free += r % 2;
			lease.commit(); // slice
		} catch (const std::domain_error &e) {
			std::fprintf(stderr, "%d: %s\n", rank, e.what());
			failed++;
		}
	}
	return failed;
}

static void exchange(const Pool &pool, int rank, int size, double *x)
{
	MPI_Status st;
	int peer = (rank + size + pool.taken) % size; // slice
	if (peer != rank) // slice
		MPI_Recv(x, 1, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	double x = 0;
	Pool pool = {4, 0, {0}}; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int failed = sweep(pool, rank); // slice
	exchange(pool, rank, size, &x); // slice
	std::printf("%d %g\n", failed, x);
	MPI_Finalize();
	return 0;
}
