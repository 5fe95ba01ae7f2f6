// tune: rank=2 size=4 stop=MPI_Recv:3 data=1 peer=1:MPI_Send:1
// Particles that leave are listed by their target, and the first rank of a node takes
// them; counters that only the first pass clears make the second wait for too many.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

enum Attribute : unsigned { Alive = 1u << 0, Ghost = 1u << 1, Leaving = 1u << 2 };

struct Particles {
	std::vector<double> x, v;
	std::vector<unsigned> flags;
	std::vector<int> cell;
	std::size_t size() const { return x.size(); } // slice
	void add(double position, double velocity)
	{
		x.push_back(position); // slice
		v.push_back(velocity); // slice
		flags.push_back(Alive); // slice
		cell.push_back(static_cast<int>(position * 4));
	}
	void push(double dt)
	{
		for (std::size_t i = 0; i < size(); i++) // slice
			x[i] += dt * v[i]; // slice
	}
};

struct Box {
	double low, high;
	int left, right;
	bool contains(double x) const { return x >= low && x < high; } // slice
	int target(double x) const { return x < low ? left : right; } // slice
};

template <class T> class Counters {
public:
	explicit Counters(std::size_t n) : value_(n), total_(n), fresh_(true) {} // slice
	void begin()
	{
		if (fresh_) // slice
			std::fill(value_.begin(), value_.end(), T()); // root
		fresh_ = false; // slice
	}
	T &operator[](std::size_t i) { return value_[i]; } // slice
	T sum(std::size_t i, MPI_Datatype type)
	{
		int n = static_cast<int>(value_.size()); // slice
		MPI_Allreduce(value_.data(), total_.data(), n, type, MPI_SUM, MPI_COMM_WORLD); // slice
		return total_[i]; // slice
	}

private:
	std::vector<T> value_, total_;
	bool fresh_;
};

class Migration {
public:
	Migration(int rank, int size, Box box) : rank_(rank), box_(box), messages_((size + 1) / 2) {} // slice
	void run(Particles &p)
	{
		std::map<int, std::vector<double>> leaving; // slice
		messages_.begin(); // slice
		for (std::size_t i = 0; i < p.size(); i++) { // slice
			if (!(p.flags[i] & Alive) || box_.contains(p.x[i])) // slice
				continue;
			leaving[box_.target(p.x[i])].push_back(p.x[i]); // slice
			p.flags[i] &= ~Alive; // slice
			p.flags[i] |= Leaving; // slice
		}
		for (auto &l : leaving) // slice
			messages_[l.first / 2]++; // slice
		int expected = messages_.sum(rank_ / 2, MPI_INT); // slice
		deliver(leaving); // slice
		if (rank_ % 2 == 0) // slice
			receive(p, expected); // slice
		passes_++;
	}
	int passes() const { return passes_; }

private:
	void deliver(const std::map<int, std::vector<double>> &leaving)
	{
		for (auto it = leaving.begin(); it != leaving.end(); ++it) // slice
			MPI_Send(it->second.data(), 1, MPI_DOUBLE, it->first / 2 * 2, 7, MPI_COMM_WORLD); // slice
	}
	void receive(Particles &p, int expected)
	{
		MPI_Status st;
		double x;
		while (expected-- > 0) { // slice
			MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &st); // stop
			p.add(x, 0.25); // slice
		}
	}
	int rank_, passes_ = 0;
	Box box_;
	Counters<int> messages_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Box box{1.0 * rank, rank + 1.0, (rank + size - 1) % size, (rank + 1) % size}; // slice
	Particles p; // slice
	for (int i = 0; i < 8; i++) // slice
		p.add(rank + 0.125 * i, i % 2 ? 0.5 : -0.5); // slice
	Migration migration(rank, size, box); // slice
	for (int step = 0; step < 3; step++) { // slice
		p.push(0.5); // slice
		migration.run(p); // slice
	}
	std::printf("%g %d\n", std::accumulate(p.x.begin(), p.x.end(), 0.0), migration.passes());
	MPI_Finalize();
	return 0;
}
