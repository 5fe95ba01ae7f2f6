// tune: rank=1 size=4 stop=MPI_Recv:6 data=2 peer=0:MPI_Send:1
// Template wrappers over wrappers, and routes with arrays in the elements of a
// vector: a hop that is not needed leads to the target instead of nowhere.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <vector>

struct Vec3 {
	double x, y, z;
};

struct Sym6 {
	double c[6];
};

template <class T> struct Traits;
template <> struct Traits<int> {
	static int count() { return 1; }
	static MPI_Datatype type() { return MPI_INT; }
};
template <> struct Traits<Vec3> {
	static int count() { return 3; } // slice
	static MPI_Datatype type() { return MPI_DOUBLE; }
};
template <> struct Traits<Sym6> : Traits<Vec3> {
	static int count() { return Traits<Vec3>::count() + 3; } // slice
};

class Wire {
public:
	explicit Wire(int base) : base_(base) {} // slice
	template <class T> void get(T *p, int n, int from, int tag) const
	{
		MPI_Status st;
		int count = n * Traits<T>::count(); // slice
		MPI_Recv(p, count, Traits<T>::type(), from, base_ + tag, MPI_COMM_WORLD, &st); // stop
	}
	template <class T> void put(const T *p, int n, int to, int tag) const
	{
		MPI_Send(p, n * Traits<T>::count(), Traits<T>::type(), to, base_ + tag, MPI_COMM_WORLD);
	}

private:
	int base_;
};

template <class T> void fetch(const Wire &w, std::vector<T> &v, int from, int tag)
{
	w.get(v.data(), static_cast<int>(v.size()), from, tag); // slice
}

struct Route {
	std::array<int, 2> load;
	std::array<int, 2> hop;
	std::array<double, 2> cost;
};

class Router {
public:
	Router(int rank, int size) : wire_(100), routes_(size), rank_(rank) // slice
	{
		for (int to = 0; to < size; to++) // slice
			for (int k = 0; k < 2; k++) { // slice
				routes_[to].hop[k] = (rank ^ to) >> k & 1 ? rank ^ (1 << k) : to; // root
				routes_[to].cost[k] = 1 + k;
			}
	}
	const int &hop(int to, int k) const { return routes_[to].hop[k]; } // slice
	void measure()
	{
		for (auto &r : routes_)
			if (rank_ % 2)
				wire_.get(&r.load[0], 1, rank_ - 1, 1);
			else
				wire_.put(&rank_, 1, rank_ + 1, 1);
	}
	template <class T> void pull(std::vector<T> &v, int to)
	{
		for (int k = 0; k < 2; k++) // slice
			if (hop(to, k) != rank_) // slice
				fetch(wire_, v, hop(to, k), 2 + k); // slice
	}
	double cost(int to) const { return routes_[to].cost[0] * routes_[to].load[0]; }

private:
	Wire wire_;
	std::vector<Route> routes_;
	int rank_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Router router(rank, size); // slice
	std::vector<Sym6> stress(4); // slice
	std::vector<Vec3> force(2);
	router.measure();
	force[0].x = rank;
	router.pull(stress, 0); // slice
	router.pull(force, 1);
	std::printf("%g %g\n", stress[0].c[1] + force[0].x, router.cost(0));
	MPI_Finalize();
	return 0;
}
