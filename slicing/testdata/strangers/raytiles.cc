// report: rank=1 size=3 stop=MPI_Ssend:5
// Rays are traced in tiles which overlapping regions ask for: a rank drops the tiles that it
// has twice, but looks at their costs as well, and sends one tile more than the first rank takes.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

struct Tile {
	int x, y;
	int cost;
	friend bool operator<(const Tile &a, const Tile &b)
	{
		return std::tie(a.y, a.x, a.cost) < std::tie(b.y, b.x, b.cost); // slice
	}
	friend bool operator==(const Tile &a, const Tile &b)
	{
		return a.x == b.x && a.y == b.y && a.cost == b.cost; // root
	}
};

// ---- regions of the picture ----
class Region {
public:
	virtual ~Region() = default;
	virtual void tiles(std::vector<Tile> &out) const = 0;
};

class Box : public Region {
public:
	Box(int x, int y, int w, int h) : x_(x), y_(y), w_(w), h_(h) {} // slice
	void tiles(std::vector<Tile> &out) const override
	{
		for (int j = 0; j < h_; j++) // slice
			for (int i = 0; i < w_; i++) // slice
				out.push_back({x_ + i, y_ + j, 4}); // slice
	}

private:
	int x_, y_, w_, h_;
};

class Diagonal : public Region {
public:
	Diagonal(int from, int to, int cost) : from_(from), to_(to), cost_(cost) {} // slice
	void tiles(std::vector<Tile> &out) const override
	{
		for (int i = from_; i <= to_; i++) // slice
			out.push_back({i, i, cost_}); // slice
	}

private:
	int from_, to_, cost_;
};

class Scene {
public:
	Scene() : regions_() // slice
	{
		regions_.push_back(std::make_unique<Box>(0, 0, 2, 2)); // slice
		regions_.push_back(std::make_unique<Diagonal>(1, 4, 9)); // slice
		regions_.push_back(std::make_unique<Box>(4, 3, 2, 1)); // slice
		regions_.push_back(std::make_unique<Box>(4, 3, 1, 3)); // slice
	}
	std::vector<Tile> all() const
	{
		std::vector<Tile> out; // slice
		for (const auto &r : regions_) // slice
			r->tiles(out); // slice
		return out; // slice
	}

private:
	std::vector<std::unique_ptr<Region>> regions_;
};

static int tracer(const Tile &t, int size)
{
	return 1 + t.y % (size - 1); // slice
}

// ---- a rank with tiles of its own ----
class Tracer {
public:
	Tracer(const Scene &scene, int rank, int size) : mine_() // slice
	{
		const std::vector<Tile> all = scene.all(); // slice
		std::copy_if(all.begin(), all.end(), std::back_inserter(mine_), [=](const Tile &t) { // slice
			return tracer(t, size) == rank; // slice
		});
		std::sort(mine_.begin(), mine_.end()); // slice
		mine_.erase(std::unique(mine_.begin(), mine_.end()), mine_.end()); // slice
	}
	void trace() const
	{
		for (const Tile &t : mine_) { // slice
			double light = 0;
			for (int bounce = 1; bounce <= t.cost; bounce++)
				light += 1.0 / (bounce + t.x + t.y);
			MPI_Ssend(&light, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD); // stop
		}
	}

private:
	std::vector<Tile> mine_;
};

// ---- the first rank puts the picture together ----
class Picture {
public:
	Picture(const Scene &scene, int size) : light_(size, 0.0), parts_(size, 0)
	{
		std::set<std::pair<int, int>> seen;
		for (const Tile &t : scene.all())
			if (seen.emplace(t.x, t.y).second)
				parts_[tracer(t, size)]++;
	}
	void gather()
	{
		double part;
		MPI_Status st;
		for (std::size_t from = 1; from < parts_.size(); from++)
			for (int p = 0; p < parts_[from]; p++) {
				MPI_Recv(&part, 1, MPI_DOUBLE, static_cast<int>(from), 8, MPI_COMM_WORLD, &st);
				light_[from] += part;
			}
	}
	double light() const { return std::accumulate(light_.begin(), light_.end(), 0.0); }

private:
	std::vector<double> light_;
	std::vector<int> parts_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const Scene scene; // slice
	if (rank == 0) { // slice
		Picture picture(scene, size);
		picture.gather();
		std::printf("light %g\n", picture.light());
	} else {
		const Tracer own(scene, rank, size); // slice
		own.trace(); // slice
	}
	MPI_Finalize();
	return 0;
}
