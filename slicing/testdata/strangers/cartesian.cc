// tune: rank=1 size=6 stop=MPI_Wait:3
// A halo exchange over a cartesian grid: one of two twin lines tests the number
// of an axis against the bits of the periodic axes.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

enum Flag : unsigned { None = 0, PeriodicX = 1, PeriodicY = 2 };

class Topology {
public:
	Topology(int rank, int size, unsigned periodic) : periodic_(periodic) // slice
	{
		dims_[1] = 2; // slice
		dims_[0] = size / dims_[1]; // slice
		coords_[0] = rank % dims_[0]; // slice
		coords_[1] = rank / dims_[0]; // slice
	}
	int lower(int axis) const { return shifted(axis, -1, periodic_ & static_cast<unsigned>(axis)); } // root
	int upper(int axis) const { return shifted(axis, +1, periodic_ & 1u << axis); } // slice
	double volume(double h) const { return h * dims_[0] * h * dims_[1]; }

private:
	int shifted(int axis, int by, unsigned around) const
	{
		std::array<int, 2> c = coords_; // slice
		c[axis] += by; // slice
		if (c[axis] < 0 || c[axis] >= dims_[axis]) { // slice
			if (!around) // slice
				return -1; // slice
			c[axis] = (c[axis] + dims_[axis]) % dims_[axis]; // slice
		}
		return c[1] * dims_[0] + c[0]; // slice
	}
	std::array<int, 2> dims_, coords_;
	unsigned periodic_;
};

enum Direction { West, East, South, North };

static Direction opposite(Direction d)
{
	return static_cast<Direction>(d ^ 1); // slice
}

struct Link {
	int peer = -1;
	int tag = 0;
	MPI_Request request = nullptr;
	std::vector<double> ghost;
};

class Exchange {
public:
	virtual ~Exchange() = default;
	virtual void start() = 0;
	virtual void finish() = 0;
};

class HaloExchange : public Exchange {
public:
	HaloExchange(std::shared_ptr<const Topology> t, int width) : width_(width) // slice
	{
		for (int axis = 0; axis < 2; axis++) { // slice
			connect(static_cast<Direction>(2 * axis), t->lower(axis)); // slice
			connect(static_cast<Direction>(2 * axis + 1), t->upper(axis)); // slice
		}
	}
	void start() override
	{
		for (auto &l : links_) // slice
			post(l.second); // slice
	}
	void finish() override
	{
		MPI_Status st;
		for (auto it = links_.begin(); it != links_.end(); ++it) // slice
			MPI_Wait(&it->second.request, &st); // stop
	}
	double ghosts() const
	{
		double sum = 0;
		for (const auto &l : links_)
			sum += l.second.ghost[0];
		return sum;
	}

private:
	void post(Link &l)
	{
		MPI_Irecv(l.ghost.data(), width_, MPI_DOUBLE, l.peer, l.tag, MPI_COMM_WORLD, &l.request); // slice
	}
	void connect(Direction d, int peer)
	{
		if (peer < 0) // slice
			return;
		Link &l = links_[d]; // slice
		l.peer = peer; // slice
		l.tag = 10 + opposite(d); // slice
		l.ghost.resize(width_);
	}
	std::map<Direction, Link> links_;
	int width_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	auto grid = std::make_shared<const Topology>(rank, size, PeriodicX); // slice
	HaloExchange halo(grid, 8); // slice
	Exchange *exchange = &halo; // slice
	for (int step = 0; step < 3; step++) { // slice
		exchange->start(); // slice
		exchange->finish(); // slice
	}
	std::printf("%g %g\n", halo.ghosts(), grid->volume(0.1));
	MPI_Finalize();
	return 0;
}
