// tune: rank=1 size=4 stop=MPI_Recv:3 data=2 peer=0:MPI_Send:1 peer=0:MPI_Send:2
// A session whose steps are tried and whose failures are swallowed: the handler raises
// the flag of the next state, and the data are awaited from a peer that was never set.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

enum State : unsigned { Closed = 0, Greeted = 1, Sized = 2, Routed = 4, Failed = 8 };

struct Failure : std::runtime_error {
	Failure(const std::string &what, State s) : std::runtime_error(what), state(s) {} // slice
	State state;
};

struct Peer {
	int rank = 0; // slice
	int channel = 1; // slice
	std::string name = "root";
};

class Line {
public:
	Line(int rank, int size) : rank_(rank), size_(size) {} // slice
	int number(int from, int tag) const
	{
		MPI_Status st;
		int v = 0; // slice
		MPI_Recv(&v, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &st); // slice
		return v; // slice
	}
	void number(int to, int tag, int v) const { MPI_Send(&v, 1, MPI_INT, to, tag, MPI_COMM_WORLD); } // slice
	void data(std::vector<double> &v, int from, int tag) const
	{
		MPI_Status st;
		MPI_Recv(v.data(), static_cast<int>(v.size()), MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &st); // stop
	}
	int rank() const { return rank_; } // slice
	int size() const { return size_; } // slice

private:
	int rank_, size_;
};

class Session {
public:
	explicit Session(const Line &line) : line_(line), flags_(Closed) // slice
	{
		steps_[Greeted] = [this] { greet(); }; // slice
		steps_[Sized] = [this] { measure(); }; // slice
		steps_[Routed] = [this] { route(); }; // slice
	}
	void open()
	{
		for (const auto &s : steps_) // slice
			attempt(s.first, s.second); // slice
	}
	bool ready() const { return (flags_ & (Sized | Routed)) == (Sized | Routed); } // slice
	void transfer()
	{
		if (flags_ & Failed) // slice
			return;
		if (ready()) // slice
			line_.data(values_, peer_.rank, 500 + peer_.channel); // slice
	}
	double sum() const
	{
		double s = 0;
		for (double v : values_)
			s += v;
		return s + static_cast<double>(peer_.name.size());
	}

private:
	void attempt(State next, const std::function<void()> &step)
	{
		try {
			step(); // slice
			flags_ |= next; // slice
		} catch (const Failure &f) { // slice
			flags_ |= f.state; // slice
			log_[f.what()]++;
		} catch (const std::exception &e) { // slice
			flags_ |= Failed; // slice
			log_[e.what()]++;
		}
	}
	void greet() { version_ = line_.number(0, 1); } // slice
	void measure()
	{
		if (version_ < 1) // slice
			throw Failure("old version", Failed); // slice
		int n = line_.number(0, 2); // slice
		values_.resize(static_cast<std::size_t>(n % 16)); // slice
	}
	void route()
	{
		std::array<int, 4> table{{0, 2, 3, 1}}; // slice
		if (version_ * line_.rank() >= line_.size() - 2) // slice
			throw Failure("no route", Routed); // root
		peer_.rank = table.at(line_.rank()); // slice
		peer_.channel = version_; // slice
		peer_.name = "relay " + std::to_string(peer_.rank);
	}
	const Line &line_;
	unsigned flags_;
	int version_ = 0; // slice
	Peer peer_;
	std::map<State, std::function<void()>> steps_;
	std::map<std::string, int> log_;
	std::vector<double> values_;
};

static void serve(const Line &line, int version)
{
	for (int r = 1; r < line.size(); r++) { // slice
		line.number(r, 1, version); // slice
		line.number(r, 2, 8 * r); // slice
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Line line(rank, size); // slice
	Session session(line); // slice
	if (rank == 0) { // slice
		serve(line, 2); // slice
	} else {
		session.open(); // slice
		session.transfer(); // slice
	}
	std::printf("%g\n", session.sum());
	MPI_Finalize();
	return 0;
}
