// tune: rank=1 size=4 stop=MPI_Recv:3
// A mailbox over a communicator: the neighbours are made unique without being
// sorted, and on a small torus a letter is expected twice from the same rank.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <vector>

enum class Phase { Sizes = 1, Bodies, Forces };

struct Letter {
	int from, tag, count;
	double weight;
};

class Endpoint {
public:
	explicit Endpoint(MPI_Comm comm) : comm_(comm) // slice
	{
		MPI_Comm_rank(comm_, &rank_); // slice
		MPI_Comm_size(comm_, &size_); // slice
	}
	int rank() const { return rank_; } // slice
	int size() const { return size_; } // slice
	void get(double *into, const Letter &l)
	{
		MPI_Status st;
		MPI_Recv(into, l.count, MPI_DOUBLE, l.from, l.tag, comm_, &st); // stop
		received_ += l.count;
	}
	void put(const std::vector<double> &v, int to, int tag)
	{
		MPI_Send(v.data(), static_cast<int>(v.size()), MPI_DOUBLE, to, tag, comm_);
		sent_ += static_cast<long>(v.size());
	}
	long traffic() const { return received_ + sent_; }

private:
	MPI_Comm comm_;
	int rank_, size_;
	long received_ = 0, sent_ = 0;
};

class Neighbourhood {
public:
	Neighbourhood(int rank, int size, int nx)
	{
		int x = rank % nx, y = rank / nx, ny = size / nx; // slice
		for (int dy = -1; dy <= 1; dy++) // slice
			for (int dx = -1; dx <= 1; dx++) { // slice
				int px = (x + dx + nx) % nx; // slice
				int py = (y + dy + ny) % ny; // slice
				if (py * nx + px != rank) // slice
					ranks_.push_back(py * nx + px); // slice
			}
		ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end()); // root
	}
	std::vector<int>::const_iterator begin() const { return ranks_.begin(); } // slice
	std::vector<int>::const_iterator end() const { return ranks_.end(); } // slice

private:
	std::vector<int> ranks_;
};

class Mailbox {
public:
	explicit Mailbox(Endpoint &e) : end_(e) {} // slice
	void expect(Phase p, int from, int count)
	{
		int tag = static_cast<int>(p) * 100; // slice
		slots_[tag].push_back(Letter{from, tag, count, 1.0 / count}); // slice
	}
	void drain(Phase p, std::vector<double> &into)
	{
		auto slot = slots_.find(static_cast<int>(p) * 100); // slice
		if (slot == slots_.end()) // slice
			return;
		while (!slot->second.empty()) { // slice
			Letter l = slot->second.front(); // slice
			slot->second.pop_front(); // slice
			into.resize(into.size() + l.count);
			end_.get(into.data() + into.size() - l.count, l); // slice
			weight_ += l.weight;
		}
	}
	double weight() const { return weight_; }

private:
	Endpoint &end_;
	std::map<int, std::deque<Letter>> slots_;
	double weight_ = 0;
};

static void announce(Endpoint &world, const Neighbourhood &near, const std::vector<double> &mine)
{
	for (int r : near)
		world.put(mine, r, static_cast<int>(Phase::Bodies) * 100);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	Endpoint world(MPI_COMM_WORLD); // slice
	Neighbourhood near(world.rank(), world.size(), 2); // slice
	Mailbox box(world); // slice
	std::vector<double> bodies;
	std::vector<double> mine(6, world.rank() + 0.5);
	announce(world, near, mine);
	for (int r : near) // slice
		box.expect(Phase::Bodies, r, 6); // slice
	box.drain(Phase::Bodies, bodies); // slice
	double sum = 0;
	for (double b : bodies)
		sum += b * box.weight();
	std::printf("%g %ld\n", sum, world.traffic());
	MPI_Finalize();
	return 0;
}
