// report: rank=0 size=4 stop=MPI_Waitall:1
// The vertices of a graph are coloured by their owners, whose blocks differ by one vertex: where
// the colours of a neighbour come from is computed as if the blocks were all of one length.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>
#include <vector>

// ---- a graph in rows ----
class Graph {
public:
	Graph(int vertices, std::initializer_list<std::pair<int, int>> edges) : first_(vertices + 1, 0) // slice
	{
		for (const auto &e : edges) { // slice
			first_[e.first + 1]++; // slice
			first_[e.second + 1]++; // slice
		}
		for (int v = 0; v < vertices; v++) // slice
			first_[v + 1] += first_[v]; // slice
		std::vector<int> at(first_.begin(), first_.end() - 1); // slice
		neighbours_.resize(first_.back()); // slice
		for (const auto &e : edges) { // slice
			neighbours_[at[e.first]++] = e.second; // slice
			neighbours_[at[e.second]++] = e.first; // slice
		}
	}
	struct Row {
		const int *from, *to;
		const int *begin() const { return from; } // slice
		const int *end() const { return to; } // slice
	};
	Row row(int v) const { return {&neighbours_[first_[v]], &neighbours_[0] + first_[v + 1]}; } // slice
	int vertices() const { return static_cast<int>(first_.size()) - 1; } // slice

private:
	std::vector<int> first_, neighbours_;
};

// ---- blocks ----
class Blocks {
public:
	Blocks(int vertices, int ranks) : vertices_(vertices), ranks_(ranks) {} // slice
	int begin(int rank) const { return vertices_ * rank / ranks_; } // slice
	int holder(int v) const
	{
		const int block = v / (vertices_ / ranks_); // root
		return std::min(block, ranks_ - 1); // slice
	}
	template <class F>
	void others(int rank, F f) const
	{
		for (int r = 0; r < ranks_; r++)
			if (r != rank)
				f(r, begin(r), begin(r + 1));
	}

private:
	int vertices_, ranks_;
};

// ---- the colours around a block ----
class Ghosts {
public:
	Ghosts(const Graph &g, const Blocks &b, int rank) : low_(b.begin(rank)), high_(b.begin(rank + 1)) // slice
	{
		for (int v = low_; v < high_; v++) // slice
			for (int u : g.row(v)) // slice
				if (u < low_ || u >= high_) // slice
					wanted_[b.holder(u)].insert(u); // slice
		b.others(rank, [&](int r, int low, int high) {
			for (int v = low_; v < high_; v++)
				for (int u : g.row(v))
					if (u >= low && u < high)
						given_[r].insert(v);
		});
	}
	void exchange(const std::vector<int> &colours)
	{
		std::vector<MPI_Request> requests(wanted_.size()); // slice
		std::size_t n = 0; // slice
		for (const auto &w : wanted_) { // slice
			std::vector<int> &in = in_[w.first];
			in.resize(16);
			MPI_Irecv(in.data(), 16, MPI_INT, w.first, 5, MPI_COMM_WORLD, &requests[n++]); // slice
		}
		for (const auto &g : given_) {
			std::vector<int> out;
			for (int v : g.second)
				out.push_back(colours[v - low_]);
			MPI_Send(out.data(), static_cast<int>(out.size()), MPI_INT, g.first, 5, MPI_COMM_WORLD);
		}
		MPI_Waitall(static_cast<int>(n), requests.data(), MPI_STATUSES_IGNORE); // stop
	}

private:
	int low_, high_;
	std::map<int, std::set<int>> wanted_, given_;
	std::map<int, std::vector<int>> in_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const Graph graph(10, {{0, 1}, {1, 4}, {1, 3}, {2, 3}, {5, 6}, {6, 8}, {7, 9}, {8, 9}}); // slice
	const Blocks blocks(graph.vertices(), size); // slice
	std::vector<int> colours(blocks.begin(rank + 1) - blocks.begin(rank));
	for (std::size_t i = 0; i < colours.size(); i++)
		colours[i] = static_cast<int>(i % 2);
	Ghosts ghosts(graph, blocks, rank); // slice
	ghosts.exchange(colours); // slice
	std::printf("%d: %zu colours\n", rank, colours.size());
	MPI_Finalize();
	return 0;
}
