// tune: rank=2 size=3 stop=MPI_Barrier:7
// A simulation of queues in windows of time: all ranks meet at the end of every window. What
// falls on the same moment is put in order by the wrong number, and one window is opened too many.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sim {

class Kernel;

class Actor {
public:
	Actor(std::string name, int id, int rank) : name_(std::move(name)), id_(id), urgency_(rank) {} // slice
	virtual ~Actor() = default;
	virtual void wake(Kernel &k, int now) = 0;
	int id() const { return id_; } // slice
	int urgency() const { return urgency_; }
	const std::string &name() const { return name_; }

private:
	std::string name_;
	int id_;
	int urgency_;
};

struct Event {
	int time;
	int key;
	Actor *actor;
};

struct Later {
	bool operator()(const Event &a, const Event &b) const
	{
		if (a.time != b.time) // slice
			return a.time > b.time; // slice
		return a.key > b.key; // slice
	}
};

class Kernel {
public:
	void at(int time, Actor &a)
	{
		events_.push({time, a.id(), &a}); // root
	}
	void stop() { running_ = false; } // slice
	int run()
	{
		int handled = 0;
		while (running_ && !events_.empty()) { // slice
			const Event e = events_.top(); // slice
			events_.pop(); // slice
			e.actor->wake(*this, e.time); // slice
			count_[e.actor->name()]++;
			handled++;
		}
		return handled;
	}
	int count(const std::string &name) const
	{
		const auto it = count_.find(name);
		return it == count_.end() ? 0 : it->second;
	}

private:
	std::priority_queue<Event, std::vector<Event>, Later> events_;
	std::unordered_map<std::string, int> count_;
	bool running_ = true; // slice
};

} // namespace sim

// Customers come in steps that depend on the counter they come to.
class Counter : public sim::Actor {
public:
	Counter(int id, int gap) : Actor("counter", id, 1), gap_(gap) {} // slice
	void wake(sim::Kernel &k, int now) override
	{
		waiting_ = waiting_ > 2 ? waiting_ - 2 : waiting_ + now % 3;
		served_ += now % gap_;
		if (now < 40) // slice
			k.at(now + gap_, *this); // slice
	}
	int served() const { return served_; }

private:
	int gap_;
	int waiting_ = 0;
	int served_ = 0;
};

// The end of a window.
class Window : public sim::Actor {
public:
	Window(int id, int width) : Actor("window", id, 2), width_(width) {} // slice
	void wake(sim::Kernel &k, int now) override
	{
		MPI_Barrier(MPI_COMM_WORLD); // stop
		k.at(now + width_, *this); // slice
	}

private:
	int width_;
};

class Closing : public sim::Actor {
public:
	explicit Closing(int id) : Actor("closing", id, 0) {} // slice
	void wake(sim::Kernel &k, int) override { k.stop(); } // slice
};

// The numbers of the actors go round from rank to rank.
class Numbers {
public:
	Numbers(int rank, int total) : next_(rank % total), total_(total) {} // slice
	int take()
	{
		const int id = next_; // slice
		next_ = (next_ + 1) % total_; // slice
		return id; // slice
	}

private:
	int next_;
	int total_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	sim::Kernel kernel; // slice
	Numbers numbers(rank, 4); // slice
	Closing closing(numbers.take()); // slice
	std::vector<std::unique_ptr<Counter>> counters; // slice
	counters.push_back(std::make_unique<Counter>(numbers.take(), 3)); // slice
	counters.push_back(std::make_unique<Counter>(numbers.take(), 4)); // slice
	Window window(numbers.take(), 6); // slice
	for (auto &c : counters) // slice
		kernel.at(c->id(), *c); // slice
	kernel.at(6, window); // slice
	kernel.at(42, closing); // slice
	const int handled = kernel.run(); // slice
	int served = 0;
	for (const auto &c : counters)
		served += c->served();
	std::printf("%d of %d: %d events, %d windows, %d served\n", rank, size, handled, kernel.count("window"), served);
	MPI_Finalize();
	return 0;
}
