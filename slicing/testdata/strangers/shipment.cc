// tune: rank=1 size=3 stop=MPI_Recv:3 data=3 peer=0:MPI_Send:1
// The state of a run is shipped in packets whose number is said beforehand: text is measured
// in characters for that, where the packets are counted in numbers of eight bytes.
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace state {

constexpr int kRoom = 12;
using Data = std::variant<double, std::vector<double>, std::string>;

struct Field {
	std::string name;
	Data data;
};

// How many numbers a field takes.
struct Measure {
	int operator()(double) const { return 1; } // slice
	int operator()(const std::vector<double> &v) const { return 1 + static_cast<int>(v.size()); } // slice
	int operator()(const std::string &s) const
	{
		int n = static_cast<int>(s.size()) + 1; // slice
		return n; // root
	}
};

// The numbers themselves.
struct Encode {
	std::vector<double> &to;
	void operator()(double d) { to.push_back(d); }
	void operator()(const std::vector<double> &v)
	{
		to.push_back(static_cast<double>(v.size()));
		to.insert(to.end(), v.begin(), v.end());
	}
	void operator()(const std::string &s)
	{
		std::vector<double> words((s.size() + sizeof(double)) / sizeof(double), 0.0);
		std::memcpy(words.data(), s.data(), s.size());
		to.insert(to.end(), words.begin(), words.end());
	}
};

class Snapshot {
public:
	template <class T>
	Snapshot &set(const std::string &name, T value)
	{
		for (Field &f : fields_) // slice
			if (f.name == name) { // slice
				f.data = std::move(value); // slice
				return *this; // slice
			}
		fields_.push_back({name, Data(std::move(value))}); // slice
		return *this; // slice
	}
	std::vector<const Field *> pick(const std::function<bool(const Field &)> &wanted) const
	{
		std::vector<const Field *> some; // slice
		for (const Field &f : fields_) // slice
			if (wanted(f)) // slice
				some.push_back(&f); // slice
		return some; // slice
	}

private:
	std::vector<Field> fields_;
};

} // namespace state

class Line {
public:
	Line(int partner, int tag) : partner_(partner), tag_(tag) {} // slice
	void say(int n)
	{
		MPI_Send(&n, 1, MPI_INT, partner_, tag_, MPI_COMM_WORLD); // slice
	}
	int hear()
	{
		int n = 0;
		MPI_Recv(&n, 1, MPI_INT, partner_, tag_, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // slice
		return n; // slice
	}
	void put(std::vector<double> &packet)
	{
		packet.resize(state::kRoom, 0.0);
		MPI_Send(packet.data(), state::kRoom, MPI_DOUBLE, partner_, tag_ + 1, MPI_COMM_WORLD);
		packet.clear();
	}
	void get(double *packet)
	{
		MPI_Recv(packet, state::kRoom, MPI_DOUBLE, partner_, tag_ + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stop
	}

private:
	int partner_, tag_;
};

class Shipper {
public:
	Shipper(const state::Snapshot &s, int to) : line_(to, 70) // slice
	{
		const std::set<std::string> common = {"title", "time", "notes"}; // slice
		const std::string own = "part" + std::to_string(to); // slice
		cargo_ = s.pick([&](const state::Field &f) { // slice
			return common.count(f.name) > 0 || f.name.compare(0, own.size(), own) == 0; // slice
		});
	}
	void announce()
	{
		int packets = 1; // slice
		int used = 0; // slice
		for (const state::Field *f : cargo_) { // slice
			const int need = std::visit(state::Measure{}, f->data); // slice
			if (used + need > state::kRoom) { // slice
				packets++; // slice
				used = 0; // slice
			}
			used += need; // slice
		}
		line_.say(packets); // slice
	}
	void ship()
	{
		std::vector<double> packet;
		for (const state::Field *f : cargo_) {
			std::vector<double> more;
			std::visit(state::Encode{more}, f->data);
			if (packet.size() + more.size() > state::kRoom)
				line_.put(packet);
			packet.insert(packet.end(), more.begin(), more.end());
		}
		line_.put(packet);
	}

private:
	Line line_;
	std::vector<const state::Field *> cargo_;
};

static state::Snapshot takeSnapshot(int size)
{
	state::Snapshot s; // slice
	s.set("title", std::string("channel")); // slice
	s.set("time", 0.0).set("step", 12.0); // slice
	for (int r = 1; r < size; r++) { // slice
		const std::string part = "part" + std::to_string(r); // slice
		s.set(part + ".u", std::vector<double>(4 + r, 0.5)); // slice
		s.set(part + ".dt", 0.125); // slice
	}
	s.set("time", 1.5); // slice
	s.set("notes", std::string("rough")); // slice
	return s; // slice
}

static double receive(int from)
{
	Line line(from, 70); // slice
	const int packets = line.hear(); // slice
	double sum = 0;
	for (int p = 0; p < packets; p++) { // slice
		double packet[state::kRoom] = {0};
		line.get(packet); // slice
		for (double d : packet)
			sum += d;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	if (rank == 0) { // slice
		const state::Snapshot snapshot = takeSnapshot(size); // slice
		std::vector<Shipper> shippers; // slice
		for (int to = 1; to < size; to++) // slice
			shippers.emplace_back(snapshot, to); // slice
		for (Shipper &s : shippers) // slice
			s.announce(); // slice
		for (Shipper &s : shippers)
			s.ship();
	} else {
		const double sum = receive(0); // slice
		std::printf("%d: %g\n", rank, sum);
	}
	MPI_Finalize();
	return 0;
}
