// tune: rank=2 size=4 stop=MPI_Recv:3
// A graph of stages is run in the order in which they need one another; a stage that was
// made after the model of another shares the ports with it, and what is meant for the copy is awaited.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flow {

struct Ports {
	double gain = 1.0;
	std::vector<int> in;
};

struct Node {
	std::string name;
	int place;
	std::shared_ptr<Ports> ports;
	std::vector<int> out;
};

struct Edge {
	int from, to;
	int tag;
};

class Graph {
public:
	int add(const std::string &name, int place, double gain)
	{
		auto n = std::make_shared<Node>(); // slice
		n->name = name;
		n->place = place; // slice
		n->ports = std::make_shared<Ports>(); // slice
		n->ports->gain = gain;
		return enter(name, std::move(n)); // slice
	}
	// Another stage with the same settings, elsewhere.
	int addLike(const std::string &model, const std::string &name, int place)
	{
		auto n = std::make_shared<Node>(); // slice
		const Node &m = *nodes_[find(model)]; // slice
		n->name = name;
		n->place = place; // slice
		n->ports = m.ports; // root
		return enter(name, std::move(n)); // slice
	}
	void connect(const std::string &from, const std::string &to)
	{
		const int e = static_cast<int>(edges_.size()); // slice
		const int a = find(from); // slice
		const int b = find(to); // slice
		edges_.push_back({a, b, 200 + e}); // slice
		nodes_[a]->out.push_back(e);
		nodes_[b]->ports->in.push_back(e); // slice
	}
	int find(const std::string &name) const
	{
		const auto it = numbers_.find(name); // slice
		if (it == numbers_.end()) // slice
			throw std::out_of_range("no stage " + name);
		return it->second; // slice
	}
	const Node &node(int n) const { return *nodes_[n]; } // slice
	const Edge &edge(int e) const { return edges_[e]; } // slice
	// All that the last stage needs, what is needed before who needs it.
	std::vector<int> order(int last) const
	{
		std::vector<int> sorted; // slice
		std::set<int> seen; // slice
		const std::function<void(int)> visit = [&](int n) { // slice
			if (!seen.insert(n).second) // slice
				return;
			for (int e : nodes_[n]->ports->in) // slice
				visit(edges_[e].from); // slice
			sorted.push_back(n); // slice
		};
		visit(last); // slice
		return sorted; // slice
	}

private:
	int enter(const std::string &name, std::shared_ptr<Node> n)
	{
		const int number = static_cast<int>(nodes_.size()); // slice
		nodes_.push_back(std::move(n)); // slice
		numbers_[name] = number; // slice
		return number; // slice
	}
	std::vector<std::shared_ptr<Node>> nodes_;
	std::vector<Edge> edges_;
	std::unordered_map<std::string, int> numbers_;
};

class Engine {
public:
	Engine(const Graph &g, int rank) : graph_(g), rank_(rank) {} // slice
	void run(const std::vector<int> &order)
	{
		for (int n : order) { // slice
			const Node &node = graph_.node(n); // slice
			if (node.place != rank_) // slice
				continue;
			const double in = collect(node); // slice
			const double out = node.ports->gain * in + 1.0;
			results_[node.name] = out;
			for (int e : node.out)
				hand(graph_.edge(e), out);
		}
	}
	const std::map<std::string, double> &results() const { return results_; }

private:
	double collect(const Node &node)
	{
		double sum = 0;
		for (int e : node.ports->in) { // slice
			const Edge &edge = graph_.edge(e); // slice
			const Node &source = graph_.node(edge.from); // slice
			double value = 0;
			if (source.place == rank_) // slice
				value = results_[source.name];
			else
				MPI_Recv(&value, 1, MPI_DOUBLE, source.place, edge.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stop
			sum += value;
		}
		return sum;
	}
	void hand(const Edge &edge, double value) const
	{
		const int to = graph_.node(edge.to).place;
		if (to != rank_)
			MPI_Send(&value, 1, MPI_DOUBLE, to, edge.tag, MPI_COMM_WORLD);
	}
	const Graph &graph_;
	int rank_;
	std::map<std::string, double> results_;
};

} // namespace flow

static int describe(flow::Graph &g, int size)
{
	g.add("read", 0, 0.0); // slice
	g.add("calibrate", 1, 2.0); // slice
	g.add("forecast", 2 % size, 0.5); // slice
	g.addLike("forecast", "hindcast", 3 % size); // slice
	const int last = g.add("write", 0, 1.0); // slice
	g.connect("read", "calibrate"); // slice
	g.connect("read", "forecast"); // slice
	g.connect("calibrate", "forecast"); // slice
	g.connect("calibrate", "hindcast"); // slice
	g.connect("forecast", "write"); // slice
	g.connect("hindcast", "write"); // slice
	return last; // slice
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	flow::Graph graph; // slice
	const int last = describe(graph, size); // slice
	flow::Engine engine(graph, rank); // slice
	engine.run(graph.order(last)); // slice
	for (const auto &r : engine.results())
		std::printf("%d: %s = %g\n", rank, r.first.c_str(), r.second);
	MPI_Finalize();
	return 0;
}
