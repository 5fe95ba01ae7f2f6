// tune: rank=0 size=3 stop=MPI_Recv:2 data=4
// A list of events from which some are cancelled: after an erased one the loop
// steps over its successor, which is of the cancelled kind too.
#include <mpi.h>
#include <cstdio>
#include <list>
#include <set>
#include <string>
#include <vector>

enum class Kind : unsigned char { Output, Arrival, Probe, Balance };

struct Event {
	int time;
	Kind kind;
	int peer;
	std::vector<double> payload;
	bool operator<(const Event &e) const { return time < e.time; } // slice
};

class Schedule {
public:
	using Position = std::list<Event>::iterator;
	void add(int time, Kind kind, int peer)
	{
		Event e{time, kind, peer, std::vector<double>(4)}; // slice
		Position at = events_.begin(); // slice
		while (at != events_.end() && !(e < *at)) // slice
			++at; // slice
		events_.insert(at, e); // slice
	}
	void cancel(Kind kind)
	{
		for (Position at = events_.begin(); at != events_.end(); ++at) // slice
			if (at->kind == kind) // slice
				at = events_.erase(at); // root
		cancelled_.insert(kind);
	}
	bool empty() const { return events_.empty(); } // slice
	Event &front() { return events_.front(); } // slice
	void pop()
	{
		now_ = events_.front().time;
		events_.pop_front(); // slice
	}
	int now() const { return now_; }
	std::size_t cancelled() const { return cancelled_.size(); }

private:
	std::list<Event> events_;
	std::set<Kind> cancelled_;
	int now_ = 0;
};

class Simulation {
public:
	Simulation(int rank, int size) : rank_(rank), size_(size) {} // slice
	void plan(int horizon)
	{
		for (int t = 0; t < horizon; t += 2) { // slice
			schedule_.add(t, Kind::Output, rank_); // slice
			schedule_.add(t + 1, t < 2 ? Kind::Arrival : Kind::Balance, partner(t)); // slice
			schedule_.add(t + 1, Kind::Probe, partner(t + 1)); // slice
		}
		schedule_.add(2, Kind::Balance, partner(0)); // slice
		schedule_.add(horizon, Kind::Output, rank_); // slice
	}
	void quiet() { schedule_.cancel(Kind::Balance); } // slice
	void run()
	{
		while (!schedule_.empty()) { // slice
			Event &e = schedule_.front(); // slice
			dispatch(e); // slice
			total_ += e.payload[0];
			schedule_.pop(); // slice
		}
	}
	double total() const { return total_ + schedule_.now(); }

private:
	int partner(int t) const { return (rank_ + 1 + t / 2 % (size_ - 1)) % size_; } // slice
	void dispatch(Event &e)
	{
		switch (e.kind) { // slice
		case Kind::Arrival:
		case Kind::Balance:
			fetch(e); // slice
			break;
		case Kind::Probe:
			probe(e);
			break;
		case Kind::Output:
			e.payload[0] = total_ * 0.5;
			break;
		}
	}
	void fetch(Event &e)
	{
		MPI_Status st;
		int tag = 50 + static_cast<int>(e.kind); // slice
		MPI_Recv(e.payload.data(), 4, MPI_DOUBLE, e.peer, tag, MPI_COMM_WORLD, &st); // stop
	}
	void probe(Event &e)
	{
		MPI_Status st;
		int there = 0;
		MPI_Iprobe(e.peer, 60, MPI_COMM_WORLD, &there, &st);
		e.payload[0] = there;
	}
	Schedule schedule_;
	int rank_, size_;
	double total_ = 0;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Simulation sim(rank, size); // slice
	sim.plan(6); // slice
	if (size > 2) // slice
		sim.quiet(); // slice
	sim.run(); // slice
	std::printf("%g\n", sim.total());
	MPI_Finalize();
	return 0;
}
