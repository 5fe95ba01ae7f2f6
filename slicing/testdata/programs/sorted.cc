// tune: rank=0 size=4 stop=MPI_Recv:2
// Transfers are sorted by what a comparison says that mixes up cost and number.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <vector>

struct Transfer {
	int peer, number;
	double cost;
};

static bool before(const Transfer &a, const Transfer &b)
{
	return a.cost < b.number; // root
}

static std::vector<Transfer> transfers(int rank, int size)
{
	std::vector<Transfer> all; // slice
	for (int i = 0; i < size; i++) { // slice
		if (i == rank) // slice
			continue; // slice
		Transfer t; // slice
		t.peer = i; // slice
		t.number = (i + rank) % size; // slice
		t.cost = 0.5 * (size - i); // slice
		all.push_back(t); // slice
	}
	return all; // slice
}

static void perform(const std::vector<Transfer> &all)
{
	double x = 0;
	MPI_Status st;
	for (std::size_t i = 0; i < all.size(); i++) { // slice
		const Transfer &t = all[i]; // slice
		MPI_Send(&x, 1, MPI_DOUBLE, t.peer, 2, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_DOUBLE, t.peer, 2, MPI_COMM_WORLD, &st); // stop
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	std::vector<Transfer> all = transfers(rank, size); // slice
	std::stable_sort(all.begin(), all.end(), before); // slice
	perform(all); // slice
	std::printf("%zu\n", all.size());
	MPI_Finalize();
	return 0;
}
