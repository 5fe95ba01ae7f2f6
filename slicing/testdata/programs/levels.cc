// tune: rank=1 size=4 stop=MPI_Recv:2
// A hierarchy of grids is a tree of nodes that own their children; refinement looks
// at the error of the parent.
#include <mpi.h>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

struct Node {
	int level, index;
	double error;
	std::vector<std::unique_ptr<Node>> children;
	Node(int l, int i, double e) : level(l), index(i), error(e) {} // slice
	bool leaf() const { return children.empty(); } // slice
};

class Hierarchy {
public:
	Hierarchy(int rank, double limit) : root_(new Node(0, rank, 1.0)), limit_(limit) {} // slice
	void refine(int levels)
	{
		for (int l = 0; l < levels; l++) // slice
			refine(*root_, 1.0); // slice
	}
	int leaves() const { return leaves(*root_); } // slice

private:
	void refine(Node &n, double above)
	{
		if (!n.leaf()) { // slice
			for (auto &c : n.children) // slice
				refine(*c, n.error); // slice
		} else if (above > limit_) { // root
			for (int i = 0; i < 2; i++) // slice
				n.children.emplace_back(new Node(n.level + 1, 2 * n.index + i, n.error / (2 + i))); // slice
		}
	}
	static int leaves(const Node &n)
	{
		if (n.leaf()) // slice
			return 1; // slice
		return std::accumulate(n.children.begin(), n.children.end(), 0, // slice
			[](int sum, const std::unique_ptr<Node> &c) { return sum + leaves(*c); }); // slice
	}
	std::unique_ptr<Node> root_;
	double limit_;
};

static void exchange(const Hierarchy &h, int rank, int size)
{
	std::vector<double> x(8);
	MPI_Status st;
	int n = h.leaves(); // slice
	for (int i = 0; i < n; i++) // slice
		MPI_Recv(&x[0], 8, MPI_DOUBLE, (rank + 1) % size, i, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Hierarchy h(rank, 0.4); // slice
	h.refine(3); // slice
	exchange(h, rank, size); // slice
	MPI_Finalize();
	return 0;
}
