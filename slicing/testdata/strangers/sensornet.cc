// report: rank=0 size=3 stop=MPI_Recv:11
// A gateway polls the sensors over links that are derived from one another: a derived link is
// not a copy but the link itself, and a longer burst for the one is expected on the other too.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

struct Link {
	int peer, tag;
	int burst, period;
};

// ---- the links of the gateway ----
class LinkBook {
public:
	explicit LinkBook(int size) : size_(size), links_() {} // slice
	void define(const std::string &name, const Link &l)
	{
		if (l.peer < size_) // slice
			links_[name] = std::make_shared<Link>(l); // slice
	}
	Link &derive(const std::string &name, const std::string &base)
	{
		links_[name] = links_.at(base); // root
		return *links_[name]; // slice
	}
	std::shared_ptr<const Link> find(const std::string &name) const
	{
		const auto it = links_.find(name); // slice
		return it == links_.end() ? nullptr : it->second; // slice
	}

private:
	int size_;
	std::map<std::string, std::shared_ptr<Link>> links_;
};

static void openLinks(LinkBook &book)
{
	book.define("north", {1, 40, 2, 3}); // slice
	book.define("south", {2, 44, 1, 5}); // slice
	book.define("west", {3, 48, 2, 4}); // slice
	Link &alarm = book.derive("alarm", "south"); // slice
	alarm.burst = 2; // slice
}

// ---- polls, in the order of their time ----
struct Poll {
	int time;
	std::string link;
};

struct Later {
	bool operator()(const Poll &a, const Poll &b) const
	{
		return a.time != b.time ? a.time > b.time : a.link > b.link; // slice
	}
};

class Agenda {
public:
	Agenda &operator<<(const Poll &p)
	{
		polls_.push(p); // slice
		return *this; // slice
	}
	bool empty() const { return polls_.empty(); } // slice
	Poll take()
	{
		Poll p = polls_.top(); // slice
		polls_.pop(); // slice
		return p; // slice
	}

private:
	std::priority_queue<Poll, std::vector<Poll>, Later> polls_;
};

// ---- a communicator for the readings ----
class Radio {
public:
	explicit Radio(MPI_Comm parent) { MPI_Comm_dup(parent, &comm_); } // slice
	~Radio() { MPI_Comm_free(&comm_); }
	Radio(const Radio &) = delete;
	Radio &operator=(const Radio &) = delete;
	double hear(int peer, int tag)
	{
		double reading = 0;
		MPI_Status st;
		MPI_Recv(&reading, 1, MPI_DOUBLE, peer, tag, comm_, &st); // stop
		return reading;
	}
	void say(double reading, int tag) { MPI_Send(&reading, 1, MPI_DOUBLE, 0, tag, comm_); }

private:
	MPI_Comm comm_;
};

class Gateway {
public:
	Gateway(const LinkBook &book, Radio &radio) : book_(book), radio_(radio), agenda_() {} // slice
	Agenda &agenda() { return agenda_; } // slice
	double serve(int until)
	{
		double sum = 0;
		while (!agenda_.empty()) { // slice
			const Poll p = agenda_.take(); // slice
			const auto link = book_.find(p.link); // slice
			if (!link) // slice
				continue;
			for (int b = 0; b < link->burst; b++) // slice
				sum += radio_.hear(link->peer, link->tag); // slice
			if (p.time + link->period <= until) // slice
				agenda_ << Poll{p.time + link->period, p.link}; // slice
		}
		return sum;
	}

private:
	const LinkBook &book_;
	Radio &radio_;
	Agenda agenda_;
};

// ---- what a sensor has to say until then ----
static int readings(int rank, int until)
{
	const int start = rank == 1 ? 0 : 1;
	const int period = rank == 1 ? 3 : 5;
	const int polls = (until - start) / period + 1;
	return rank == 1 ? 2 * polls : polls + 2;
}

int main(int argc, char **argv)
{
	int rank, size;
	const int until = 6; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	{
		Radio radio(MPI_COMM_WORLD); // slice
		if (rank == 0) { // slice
			LinkBook book(size); // slice
			openLinks(book); // slice
			Gateway gateway(book, radio); // slice
			gateway.agenda() << Poll{0, "north"} << Poll{1, "south"} << Poll{2, "west"}; // slice
			gateway.agenda() << Poll{until - 2, "alarm"}; // slice
			std::printf("sum %g\n", gateway.serve(until)); // slice
		} else {
			for (int i = 0; i < readings(rank, until); i++)
				radio.say(rank + 0.1 * i, rank == 1 ? 40 : 44);
		}
	}
	MPI_Finalize();
	return 0;
}
