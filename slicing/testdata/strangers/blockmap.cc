// tune: rank=0 size=3 stop=MPI_Recv:4
// Blocks of a sparse grid are found by a key of their three indices, packed into
// one number: two of the fields overlap, and later blocks take the place of others.
#include <mpi.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

namespace sparse {

using Index = std::array<int, 3>;

struct Block {
	Index at;
	int owner, id;
};

inline std::uint64_t pack(const Index &at)
{
	std::uint64_t key = static_cast<std::uint64_t>(at[2]) << 16; // slice
	key |= static_cast<std::uint64_t>(at[1]) << 2; // root
	key |= static_cast<std::uint64_t>(at[0]); // slice
	return key; // slice
}

class Grid {
public:
	Grid(int nx, int ny, int nz)
	{
		for (int k = 0; k < nz; k++) // slice
			for (int j = 0; j < ny; j++) // slice
				for (int i = 0; i < nx; i++) // slice
					if (!hole(i, j, k)) // slice
						add({{i, j, k}}); // slice
	}

	void distribute(int size)
	{
		const int per = (static_cast<int>(blocks_.size()) + size - 1) / size; // slice
		for (Block &b : blocks_) // slice
			b.owner = b.id / per; // slice
	}

	const Block *find(const Index &at) const
	{
		auto it = byKey_.find(pack(at)); // slice
		return it == byKey_.end() ? nullptr : &blocks_[it->second]; // slice
	}

	const std::vector<Block> &blocks() const { return blocks_; } // slice

private:
	static bool hole(int i, int j, int k) { return (i + 2 * j + 3 * k) % 5 == 4; } // slice

	void add(const Index &at)
	{
		const int id = static_cast<int>(blocks_.size()); // slice
		byKey_[pack(at)] = id; // slice
		blocks_.push_back({at, -1, id}); // slice
	}

	std::vector<Block> blocks_;
	std::unordered_map<std::uint64_t, int> byKey_;
};

struct Face {
	int mine, theirs, rank;
};

class Faces {
public:
	Faces(const Grid &grid, int rank)
	{
		for (const Block &b : grid.blocks()) { // slice
			if (b.owner != rank) // slice
				continue;
			for (int axis = 0; axis < 3; axis++) // slice
				for (int step : {-1, 1}) { // slice
					Index at = b.at; // slice
					at[axis] += step; // slice
					if (at[axis] < 0) // slice
						continue;
					look(grid, b, at); // slice
				}
		}
	}

	double exchange(double value)
	{
		MPI_Status st;
		double out[3] = {value, 0, 0}, in[3] = {0, 0, 0}, sum = 0;
		for (const Face &f : faces_)
			MPI_Send(out, 3, MPI_DOUBLE, f.rank, tag(f.mine, f.theirs), MPI_COMM_WORLD);
		for (const Face &f : faces_) { // slice
			const int t = tag(f.theirs, f.mine); // slice
			MPI_Recv(in, 3, MPI_DOUBLE, f.rank, t, MPI_COMM_WORLD, &st); // stop
			sum += in[0];
		}
		return sum;
	}

	std::size_t size() const { return faces_.size(); }

private:
	void look(const Grid &grid, const Block &b, const Index &at)
	{
		const Block *other = grid.find(at); // slice
		if (other && other->owner != b.owner) // slice
			faces_.push_back({b.id, other->id, other->owner}); // slice
	}
	static int tag(int from, int to) { return 100 * from + to; } // slice

	std::vector<Face> faces_;
};

} // namespace sparse

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	sparse::Grid grid(6, 3, 2); // slice
	grid.distribute(size); // slice
	sparse::Faces faces(grid, rank); // slice
	double sum = faces.exchange(1.0 + rank); // slice
	std::printf("%d: %zu faces, %g\n", rank, faces.size(), sum);
	MPI_Finalize();
	return 0;
}
