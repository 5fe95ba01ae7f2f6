// tune: rank=1 size=4 stop=MPI_Recv:1
// Blocks of a table are read with retries: the check of a block counts its guard
// cell too, so the last attempt fails and the rank takes part without its block.
#include <mpi.h>
#include <cstdio>
#include <stdexcept>
#include <vector>

class ReadError : public std::runtime_error {
public:
	ReadError(int block, bool fatal) : std::runtime_error("a block is damaged"), block_(block), fatal_(fatal) {}
	int block() const { return block_; }
	bool fatal() const { return fatal_; }

private:
	int block_;
	bool fatal_;
};

struct Block {
	int first, cells, sum;
};

class Table {
public:
	explicit Table(int rank) : rank_(rank), reads_(0) {} // slice
	Block read(int n)
	{
		Block b{n * 8, 8 + n % 2, 0}; // slice
		for (int i = 0; i < b.cells; i++) // slice
			b.sum += (b.first + i) % 3; // slice
		reads_++;
		check(b, n); // slice
		return b;
	}
	int reads() const { return reads_; }

private:
	void check(const Block &b, int n) const
	{
		if (b.sum > b.cells - rank_ % 2) // root
			throw ReadError(n, n > 6); // slice
	}
	int rank_, reads_;
};

static bool fetch(Table &table, int n, int attempts, std::vector<Block> &out)
{
	for (int i = 0; i < attempts; i++) { // slice
		try {
			out.push_back(table.read(n)); // slice
			return true; // slice
		} catch (const ReadError &e) { // slice
			std::fprintf(stderr, "block %d: %s\n", e.block(), e.what());
			if (e.fatal())
				throw;
		}
	}
	return false; // slice
}

static int gather(Table &table, int rank, int size)
{
	std::vector<Block> blocks;
	int have = 0; // slice
	for (int n = rank; n < 2 * size; n += size) // slice
		if (fetch(table, n, 3, blocks)) // slice
			have++; // slice
	return have; // slice
}

int main(int argc, char **argv)
{
	int rank, size;
	double work[8] = {0};
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Table table(rank); // slice
	int have = gather(table, rank, size); // slice
	if (have < 2) // slice
		MPI_Recv(work, 8, MPI_DOUBLE, (rank + 1) % size, have, MPI_COMM_WORLD, &st); // stop
	std::printf("%d %g\n", table.reads(), work[0]);
	MPI_Finalize();
	return 0;
}
