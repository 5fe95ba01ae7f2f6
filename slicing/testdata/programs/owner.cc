// tune: rank=2 size=4 stop=MPI_Recv:1
// Containers, smart pointers and accessors that return references and pointers.
#include <mpi.h>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

class Link {
public:
	Link(int peer, int tag) : peer_(peer), tag_(tag) {} // slice
	int peer() const { return peer_; } // slice
	int tag() const { return tag_; } // slice
	int &credit() { return credit_; } // slice
	std::vector<double> &data() { return data_; }
private:
	int peer_, tag_, credit_ = 0;
	std::vector<double> data_;
};

class Node {
public:
	explicit Node(int rank) : rank_(rank) {}
	Link &link(std::size_t i) { return *links_[i]; } // slice
	Link *add(int peer, int tag)
	{
		links_.push_back(std::make_unique<Link>(peer, tag)); // slice
		return links_.back().get(); // slice
	}
	double &value(int key) { return values_[key]; }
	int rank() const { return rank_; }
private:
	int rank_;
	std::vector<std::unique_ptr<Link>> links_;
	std::map<int, double> values_;
};

static std::unique_ptr<Node> build(int rank, int size)
{
	auto n = std::make_unique<Node>(rank); // slice
	n->value(1) = rank * 0.5;
	n->add((rank + 1) % size, 5);
	Link *l = n->add((rank + size - 1) % size, 6); // slice
	l->credit() = rank == 2 ? 1 : 0; // root
	n->value(2) = 7;
	return n; // slice
}

static void receive(Node &n)
{
	Link &l = n.link(1); // slice
	l.data().resize(4);
	if (l.credit() > 0) // slice
		MPI_Recv(l.data().data(), 4, MPI_DOUBLE, l.peer(), l.tag(), MPI_COMM_WORLD, (MPI_Status *)0); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	std::unique_ptr<Node> n = build(rank, size); // slice
	std::vector<int> noise(10);
	for (int i = 0; i < 10; i++)
		noise[i] = i * n->rank();
	receive(*n); // slice
	std::printf("%g %d\n", n->value(1), noise[3]);
	MPI_Finalize();
	return 0;
}
