// tune: rank=2 size=4 stop=MPI_Recv:3
// Cells are counted by owner in a map; the cells of the last row have none, and are
// counted for rank 0.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

struct Cell {
	int id, row, owner;
};

class Mesh {
public:
	Mesh(int nx, int ny, int size) : nx_(nx), ny_(ny) // slice
	{
		for (int j = 0; j < ny; j++) // slice
			for (int i = 0; i < nx; i++) { // slice
				int owner = j * size / ny; // slice
				if (j == ny - 1) // slice
					owner = 0; // root
				cells_.push_back({j * nx + i, j, owner}); // slice
			}
	}
	const std::vector<Cell> &cells() const { return cells_; } // slice
	bool near(const Cell &a, int row) const { return std::abs(a.row - row) <= 1; } // slice

private:
	int nx_, ny_;
	std::vector<Cell> cells_;
};

class Schedule {
public:
	Schedule(const Mesh &m, int rank)
	{
		std::set<int> rows; // slice
		for (const Cell &c : m.cells()) // slice
			if (c.owner == rank) // slice
				rows.insert(c.row); // slice
		for (const Cell &c : m.cells()) // slice
			for (int row : rows) // slice
				if (c.owner != rank && m.near(c, row)) // slice
					counts_[c.owner]++; // slice
	}
	void receive(std::vector<double> &into) const
	{
		MPI_Status st;
		for (const auto &c : counts_) { // slice
			into.resize(c.second); // slice
			MPI_Recv(into.data(), c.second, MPI_DOUBLE, c.first, 4, MPI_COMM_WORLD, &st); // stop
		}
	}
	std::size_t peers() const { return counts_.size(); }

private:
	std::map<int, int> counts_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Mesh mesh(3, 5, size); // slice
	Schedule s(mesh, rank); // slice
	std::vector<double> into; // slice
	for (int i = 0; i < 3; i++) // slice
		s.receive(into); // slice
	std::printf("%zu\n", s.peers());
	MPI_Finalize();
	return 0;
}
