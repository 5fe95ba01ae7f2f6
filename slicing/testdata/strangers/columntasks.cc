// tune: rank=0 size=3 stop=MPI_Recv:1
// Tasks of a factorisation by columns, each rank's own in an order by level, cost
// and number: the cost comes first, and two ranks wait for each other.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

enum class Kind { Factor, Update };

struct Task {
	int id;
	Kind kind;
	int owner;
	int cost;
	int level;
	std::vector<int> needs;
	std::vector<int> feeds;
};

class Graph {
public:
	Graph(int columns, int size) : columns_(columns), size_(size) // slice
	{
		for (int k = 0; k < columns; k++) { // slice
			add(k, k); // slice
			for (int j = k + 1; j < columns; j++) // slice
				add(k, j); // slice
		}
		for (auto &entry : tasks_) // slice
			entry.second.level = level(entry.first); // slice
	}

	const Task &at(int id) const { return tasks_.at(id); } // slice

	std::vector<const Task *> owned(int rank) const
	{
		std::vector<const Task *> out; // slice
		for (const auto &entry : tasks_) // slice
			if (entry.second.owner == rank) // slice
				out.push_back(&entry.second); // slice
		return out; // slice
	}

private:
	int number(int k, int j) const { return k * columns_ + j; } // slice

	void add(int k, int j)
	{
		const bool factor = k == j; // slice
		Task t{number(k, j), factor ? Kind::Factor : Kind::Update, 0, 0, 0, {}, {}}; // slice
		t.owner = (factor ? k : k + j) % size_; // slice
		t.cost = factor ? 1 : 2; // slice
		if (k > 0) // slice
			need(t, number(k - 1, j)); // slice
		if (!factor) // slice
			need(t, number(k, k)); // slice
		tasks_.emplace(t.id, std::move(t)); // slice
	}

	void need(Task &t, int other)
	{
		t.needs.push_back(other); // slice
		tasks_.at(other).feeds.push_back(t.id);
	}

	int level(int id)
	{
		auto known = levels_.find(id); // slice
		if (known != levels_.end()) // slice
			return known->second; // slice
		int l = 0; // slice
		for (int n : tasks_.at(id).needs) // slice
			l = std::max(l, level(n) + 1); // slice
		return levels_[id] = l; // slice
	}

	int columns_, size_;
	std::map<int, Task> tasks_;
	std::map<int, int> levels_;
};

static bool before(const Task *a, const Task *b)
{
	return std::tie(a->cost, a->level, a->id) < std::tie(b->cost, b->level, b->id); // root
}

class Worker {
public:
	Worker(const Graph &graph, int rank) : graph_(graph), rank_(rank), queue_(graph.owned(rank)) // slice
	{
		std::sort(queue_.begin(), queue_.end(), before); // slice
	}

	double run()
	{
		double sum = 0;
		for (const Task *t : queue_) { // slice
			double v = collect(*t); // slice
			v = t->kind == Kind::Factor ? 1 / (1 + v * v) : 0.5 * v;
			pass_on(*t, v);
			sum += v;
		}
		return sum;
	}

private:
	double collect(const Task &t)
	{
		double total = t.id, in[2];
		MPI_Status st;
		for (int id : t.needs) { // slice
			const Task &other = graph_.at(id); // slice
			if (other.owner == rank_) { // slice
				total += done_[id];
				continue;
			}
			MPI_Recv(in, 2, MPI_DOUBLE, other.owner, edge(id, t.id), MPI_COMM_WORLD, &st); // stop
			total += in[0];
		}
		return total;
	}

	void pass_on(const Task &t, double v)
	{
		const double out[2] = {v, 0};
		done_[t.id] = v;
		for (int id : t.feeds)
			if (graph_.at(id).owner != rank_)
				MPI_Send(out, 2, MPI_DOUBLE, graph_.at(id).owner, edge(t.id, id), MPI_COMM_WORLD);
	}

	static int edge(int from, int to) { return 1000 + 50 * from + to; } // slice

	const Graph &graph_;
	int rank_;
	std::vector<const Task *> queue_;
	std::map<int, double> done_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Graph graph(4, size); // slice
	Worker worker(graph, rank); // slice
	double sum = worker.run(); // slice
	std::printf("%d: %g\n", rank, sum);
	MPI_Finalize();
	return 0;
}
