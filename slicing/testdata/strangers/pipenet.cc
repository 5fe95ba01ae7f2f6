// report: rank=2 size=3 stop=MPI_Bcast:4
// The switches of a pipe network are announced to all if a valve joins two zones: the wrong node
// is asked for its zone, and a rank announces a valve that the others do not even know.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct Valve {
	int from, to, twin;
	double loss;
};

struct Pump {
	int node;
	double head;
};

struct Tank {
	int node;
	double level;
};

using Device = std::variant<Valve, Pump, Tank>;

// ---- the nodes ----
class Zones {
public:
	Zones(int nodes, int perZone) : zone_() // slice
	{
		for (int n = 0; n < nodes; n++) // slice
			zone_[n] = n / perZone; // slice
	}
	int operator()(int node) const { return zone_.at(node); } // slice

private:
	std::unordered_map<int, int> zone_;
};

// ---- which rank has to know a device ----
struct Concerns {
	const Zones &zones;
	int rank;
	bool operator()(const Valve &v) const
	{
		const int a = zones(v.from); // slice
		const int b = zones(v.to); // slice
		return a != b || a == rank; // slice
	}
	bool operator()(const Pump &) const { return true; } // slice
	bool operator()(const Tank &t) const { return zones(t.node) == rank; } // slice
};

// ---- which device everybody has to hear of ----
struct Announced {
	const Zones &zones;
	bool operator()(const Valve &v) const
	{
		return zones(v.from) != zones(v.twin); // root
	}
	bool operator()(const Pump &) const { return true; } // slice
	bool operator()(const Tank &) const { return false; } // slice
};

class Network {
public:
	Network(const Zones &zones, int rank) : zones_(zones), rank_(rank) {} // slice
	void add(const std::string &name, const Device &d)
	{
		if (std::visit(Concerns{zones_, rank_}, d)) // slice
			devices_.emplace(name, d); // slice
	}
	const Device *find(const std::string &name) const
	{
		const auto it = devices_.find(name); // slice
		return it == devices_.end() ? nullptr : &it->second; // slice
	}
	bool announced(const Device &d) const { return std::visit(Announced{zones_}, d); } // slice

private:
	const Zones &zones_;
	int rank_;
	std::unordered_map<std::string, Device> devices_;
};

// ---- the schedule ----
struct Switch {
	int hour;
	std::string device;
};

class Schedule {
public:
	Schedule &at(int hour, const std::string &device)
	{
		const auto later = [](int h, const Switch &s) { return h < s.hour; }; // slice
		switches_.insert(std::upper_bound(switches_.begin(), switches_.end(), hour, later), Switch{hour, device}); // slice
		return *this; // slice
	}
	auto begin() const { return switches_.begin(); } // slice
	auto end() const { return switches_.end(); } // slice

private:
	std::vector<Switch> switches_;
};

// ---- the run ----
class Controller {
public:
	Controller(const Network &n, int rank) : network_(n), rank_(rank) {} // slice
	void run(const Schedule &schedule, int hours)
	{
		for (const Switch &s : schedule) { // slice
			if (s.hour > hours) // slice
				return;
			const Device *d = network_.find(s.device); // slice
			if (!d) // slice
				continue;
			if (network_.announced(*d)) // slice
				announce(s.hour); // slice
			else
				local_++;
		}
	}
	double result() const { return sum_ + local_; }

private:
	void announce(int hour)
	{
		double setting = rank_ == 0 ? 1.0 / hour : 0.0;
		MPI_Bcast(&setting, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); // stop
		sum_ += setting;
	}

	const Network &network_;
	int rank_;
	int local_ = 0;
	double sum_ = 0;
};

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	const Zones zones(12, 4); // slice
	Network network(zones, rank); // slice
	network.add("v1", Valve{3, 4, 8, 0.2}); // slice
	network.add("v2", Valve{1, 2, 3, 0.3}); // slice
	network.add("v3", Valve{9, 10, 7, 0.1}); // slice
	network.add("p1", Pump{5, 12.0}); // slice
	network.add("t1", Tank{11, 2.5}); // slice
	network.add("v4", Valve{7, 8, 2, 0.2}); // slice
	Schedule schedule; // slice
	schedule.at(6, "p1").at(9, "v3").at(2, "v1").at(8, "t1").at(7, "v2"); // slice
	schedule.at(20, "v1").at(7, "v4"); // slice
	Controller controller(network, rank); // slice
	controller.run(schedule, 12); // slice
	std::printf("%d: %g\n", rank, controller.result());
	MPI_Finalize();
	return 0;
}
