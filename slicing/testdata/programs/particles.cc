// tune: rank=2 size=4 stop=MPI_Recv:3 data=3 peer=1:MPI_Send:2
// Particles that leave go to the neighbours, counts first; of those that leave to the
// right some are counted that are still inside.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <vector>

struct Particle {
	double x, v;
	int id;
};

struct Counts {
	int left = 0, right = 0, kept = 0;
};

class Box {
public:
	Box(int rank, int size) : rank_(rank), size_(size) // slice
	{
		for (int i = 0; i < 12; i++) // slice
			all_.push_back({rank + 0.1 * i, i % 2 ? 0.3 : -0.3, 12 * rank + i}); // slice
	}
	void move(double dt)
	{
		for (auto &p : all_) // slice
			p.x += p.v * dt; // slice
	}
	void exchange()
	{
		Counts mine = sort(), theirs; // slice
		MPI_Status st;
		int left = (rank_ + size_ - 1) % size_, right = (rank_ + 1) % size_; // slice
		MPI_Send(&mine, sizeof mine, MPI_CHAR, left, 1, MPI_COMM_WORLD);
		MPI_Send(&mine, sizeof mine, MPI_CHAR, right, 1, MPI_COMM_WORLD); // slice
		MPI_Recv(&theirs, sizeof theirs, MPI_CHAR, left, 1, MPI_COMM_WORLD, &st); // slice
		take(left, theirs.right); // slice
		give(right, rightwards_);
	}

private:
	Counts sort()
	{
		Counts c; // slice
		auto out = std::remove_if(all_.begin(), all_.end(), [this](const Particle &p) { return p.x < rank_; });
		c.left = static_cast<int>(all_.end() - out);
		all_.erase(out, all_.end());
		for (const auto &p : all_) // slice
			if (p.x > rank_ + 0.9) { // root
				rightwards_.push_back(p);
				c.right++; // slice
			}
		c.kept = static_cast<int>(all_.size());
		return c; // slice
	}
	void take(int from, int n)
	{
		MPI_Status st;
		for (int i = 0; i < n; i++) { // slice
			Particle p;
			MPI_Recv(&p, sizeof p, MPI_CHAR, from, 2, MPI_COMM_WORLD, &st); // stop
			all_.push_back(p);
		}
	}
	void give(int to, const std::vector<Particle> &list)
	{
		for (const auto &p : list)
			MPI_Send(&p, sizeof p, MPI_CHAR, to, 2, MPI_COMM_WORLD);
	}
	int rank_, size_;
	std::vector<Particle> all_, rightwards_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Box box(rank, size); // slice
	box.move(1); // slice
	box.exchange(); // slice
	std::printf("%d\n", rank);
	MPI_Finalize();
	return 0;
}
