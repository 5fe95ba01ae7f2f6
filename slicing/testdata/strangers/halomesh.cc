// tune: rank=2 size=4 stop=MPI_Waitall:1
// The halo of an unstructured mesh is planned from a CSR graph, and all messages are awaited
// together: the owner of a cell is searched with the wrong bound, so that first cells change hands.
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace mesh {

struct Edge {
	int a, b;
	bool operator<(const Edge &o) const { return std::tie(a, b) < std::tie(o.a, o.b); } // slice
};

// Compressed rows: the neighbours of cell c are target_[offset_[c]] and what follows.
class CsrGraph {
public:
	CsrGraph(int ncells, std::vector<Edge> edges) : offset_(ncells + 1, 0) // slice
	{
		std::sort(edges.begin(), edges.end()); // slice
		for (const Edge &e : edges) { // slice
			offset_[e.a + 1]++; // slice
			target_.push_back(e.b); // slice
		}
		std::partial_sum(offset_.begin(), offset_.end(), offset_.begin()); // slice
	}
	template <class F>
	void eachNeighbour(int cell, F f) const
	{
		for (int k = offset_[cell]; k < offset_[cell + 1]; k++) // slice
			f(target_[k]); // slice
	}
	int cells() const { return static_cast<int>(offset_.size()) - 1; } // slice

private:
	std::vector<int> offset_;
	std::vector<int> target_;
};

// A strip of cells with short cuts over three cells, both directions of every edge.
CsrGraph strip(int ncells)
{
	std::vector<Edge> edges; // slice
	auto link = [&edges](int a, int b) { // slice
		edges.push_back({a, b}); // slice
		edges.push_back({b, a}); // slice
	};
	for (int c = 0; c + 1 < ncells; c++) // slice
		link(c, c + 1); // slice
	for (int c = 1; c + 3 < ncells; c += 9) // slice
		link(c, c + 3); // slice
	return CsrGraph(ncells, std::move(edges)); // slice
}

} // namespace mesh

namespace dist {

// Blocks of cells, one for every rank; the first ones are larger by one.
class BlockMap {
public:
	BlockMap(int ncells, int nblocks)
	{
		int first = 0; // slice
		for (int b = 0; b < nblocks; b++) { // slice
			starts_.push_back(first); // slice
			first += ncells / nblocks + (b < ncells % nblocks ? 1 : 0); // slice
		}
		starts_.push_back(first); // slice
	}
	int owner(int cell) const
	{
		auto it = std::lower_bound(starts_.begin() + 1, starts_.end(), cell); // root
		return static_cast<int>(it - starts_.begin()) - 1; // slice
	}
	std::pair<int, int> range(int b) const { return {starts_[b], starts_[b + 1]}; } // slice

private:
	std::vector<int> starts_;
};

struct Plan {
	std::map<int, std::vector<int>> ghosts;
	std::map<int, std::vector<int>> shared;
	double work = 0;
};

void insertOnce(std::vector<int> &cells, int c)
{
	auto at = std::lower_bound(cells.begin(), cells.end(), c); // slice
	if (at == cells.end() || *at != c) // slice
		cells.insert(at, c); // slice
}

Plan makePlan(const mesh::CsrGraph &g, const BlockMap &blocks, int rank)
{
	Plan plan; // slice
	const auto [lo, hi] = blocks.range(rank); // slice
	for (int c = lo; c < hi; c++) { // slice
		plan.work += 1.5;
		g.eachNeighbour(c, [&, lo = lo, hi = hi](int other) { // slice
			if (other >= lo && other < hi) { // slice
				plan.work += 0.25;
				return;
			}
			const int peer = blocks.owner(other); // slice
			insertOnce(plan.ghosts[peer], other); // slice
			insertOnce(plan.shared[peer], c); // slice
		});
	}
	return plan; // slice
}

} // namespace dist

class Halo {
public:
	Halo(dist::Plan plan, int lane) : plan_(std::move(plan)), lane_(lane) {} // slice
	void exchange(std::vector<double> &field)
	{
		std::map<int, std::vector<double>> in, out; // slice
		std::vector<MPI_Request> pending; // slice
		for (const auto &[peer, cells] : plan_.ghosts) { // slice
			std::vector<double> &buf = in[peer]; // slice
			buf.resize(cells.size()); // slice
			MPI_Irecv(buf.data(), static_cast<int>(buf.size()), MPI_DOUBLE, peer, lane_, MPI_COMM_WORLD, &next(pending)); // slice
		}
		for (const auto &[peer, cells] : plan_.shared) { // slice
			std::vector<double> &buf = out[peer]; // slice
			for (int c : cells) // slice
				buf.push_back(field[c]); // slice
			MPI_Isend(buf.data(), static_cast<int>(buf.size()), MPI_DOUBLE, peer, lane_, MPI_COMM_WORLD, &next(pending)); // slice
		}
		MPI_Waitall(static_cast<int>(pending.size()), pending.data(), MPI_STATUSES_IGNORE); // stop
		for (const auto &[peer, cells] : plan_.ghosts)
			for (std::size_t i = 0; i < cells.size(); i++)
				field[cells[i]] = in[peer][i];
	}
	double work() const { return plan_.work; }

private:
	static MPI_Request &next(std::vector<MPI_Request> &pending)
	{
		pending.push_back(MPI_REQUEST_NULL); // slice
		return pending.back(); // slice
	}
	dist::Plan plan_;
	int lane_;
};

static void smooth(const mesh::CsrGraph &g, const dist::BlockMap &blocks, int rank, std::vector<double> &field)
{
	const auto [lo, hi] = blocks.range(rank);
	std::vector<double> old(field);
	for (int c = lo; c < hi; c++) {
		double sum = 0;
		int n = 0;
		g.eachNeighbour(c, [&](int other) {
			sum += old[other];
			n++;
		});
		field[c] = 0.5 * old[c] + 0.5 * sum / n;
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const mesh::CsrGraph graph = mesh::strip(26); // slice
	const dist::BlockMap blocks(graph.cells(), size); // slice
	Halo halo(dist::makePlan(graph, blocks, rank), 61); // slice
	std::vector<double> field(graph.cells());
	for (int c = 0; c < graph.cells(); c++)
		field[c] = std::sin(0.3 * c);
	for (int step = 0; step < 3; step++) { // slice
		halo.exchange(field); // slice
		smooth(graph, blocks, rank, field);
	}
	std::printf("%d: work %g, first %g\n", rank, halo.work(), field[blocks.range(rank).first]);
	MPI_Finalize();
	return 0;
}
