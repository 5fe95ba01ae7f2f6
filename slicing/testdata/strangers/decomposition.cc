// tune: rank=1 size=4 stop=MPI_Recv:2 data=5 peer=0:MPI_Send:1
// Blocks in a vector, reached through operators and accessors that return
// references: the last blocks stay with the owner they got when they were made.
#include <mpi.h>
#include <cstdio>
#include <vector>

struct Block {
	int lo, hi;
	int owner;
	int cost[2];
	double value;
};

class Decomposition {
public:
	Decomposition(int blocks, int width) : blocks_(blocks), width_(width) // slice
	{
		for (int i = 0; i < blocks; i++) { // slice
			blocks_[i].lo = i * width;
			blocks_[i].hi = (i + 1) * width;
			blocks_[i].owner = 0; // slice
			blocks_[i].value = 0.5 * i;
		}
	}
	Block &operator[](int i) { return blocks_[i]; }
	const Block &operator[](int i) const { return blocks_[i]; } // slice
	int &owner(int i) { return blocks_[i].owner; } // slice
	int size() const { return static_cast<int>(blocks_.size()); } // slice
	int width() const { return width_; } // slice

private:
	std::vector<Block> blocks_;
	int width_;
};

static void assign(Decomposition &d, int ranks)
{
	int each = d.size() / ranks; // root
	int n = 0; // slice
	for (int r = 0; r < ranks; r++) // slice
		for (int i = 0; i < each; i++) // slice
			d.owner(n++) = r; // slice
}

static void costs(Decomposition &d, int rank)
{
	MPI_Status st;
	int tmp[2] = {rank, rank + 1};
	if (rank == 0) {
		for (int r = 1; r < 4; r++)
			MPI_Send(tmp, 2, MPI_INT, r, 1, MPI_COMM_WORLD);
	} else {
		MPI_Recv(d[rank].cost, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &st);
	}
}

static double norm(const Decomposition &d)
{
	double sum = 0;
	for (int i = 0; i < d.size(); i++)
		sum += d[i].value * (d[i].hi - d[i].lo) + d[i].cost[0];
	return sum;
}

static void fetch(Decomposition &d, int rank, int shift)
{
	MPI_Status st;
	for (int i = 0; i < d.size(); i++) { // slice
		const Decomposition &all = d; // slice
		int from = all[(i + shift) % all.size()].owner; // slice
		if (d.owner(i) == rank && from != rank) // slice
			MPI_Recv(&d[i].value, 1, MPI_DOUBLE, from, i + d.width(), MPI_COMM_WORLD, &st); // stop
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Decomposition d(11, 16); // slice
	assign(d, size); // slice
	costs(d, rank);
	fetch(d, rank, 6); // slice
	std::printf("%g\n", norm(d));
	MPI_Finalize();
	return 0;
}
