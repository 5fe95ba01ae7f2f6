// tune: rank=1 size=3 stop=MPI_Recv:3 data=4 peer=0:MPI_Send:1
// A field over a vector with ghost cells: a resize for one stencil changes the
// width that the receives of another one are counted with.
#include <mpi.h>
#include <cstdio>
#include <vector>

template <class T> class Field {
public:
	Field(int n, int ghosts) : data_(n + 2 * ghosts), n_(n), ghosts_(ghosts) {} // slice
	T &operator()(int i) { return data_[i + ghosts_]; }
	const T &operator()(int i) const { return data_[i + ghosts_]; }
	int &ghosts() { return ghosts_; } // slice
	int cells() const { return n_; }
	T *low() { return data_.data(); }
	T *high() { return data_.data() + n_ + ghosts_; }

private:
	std::vector<T> data_;
	int n_, ghosts_;
};

struct Stencil {
	int reach;
	std::vector<double> weights;
};

class Pair {
public:
	Pair(int rank, int size) : peers_(2) // slice
	{
		peers_[0] = rank > 0 ? rank - 1 : size - 1; // slice
		peers_[1] = rank < size - 1 ? rank + 1 : 0; // slice
	}
	const int &operator[](int side) const { return peers_.at(side); } // slice
	int sides() const { return static_cast<int>(peers_.size()); } // slice

private:
	std::vector<int> peers_;
};

static std::vector<Stencil> stencils()
{
	std::vector<Stencil> out; // slice
	for (int i = 1; i <= 3; i++) { // slice
		Stencil s{i, {}}; // slice
		for (int j = -i; j <= i; j++)
			s.weights.push_back(1.0 / (1 + j * j));
		out.push_back(s); // slice
	}
	return out; // slice
}

template <class T> static void widen(Field<T> &f, const std::vector<Stencil> &all, int rank)
{
	int &ghosts = f.ghosts(); // slice
	for (const Stencil &s : all) { // slice
		if (s.reach > ghosts && s.reach < 3 + rank) // root
			ghosts = s.reach; // slice
	}
}

static double apply(const Field<double> &f, const Stencil &s)
{
	double sum = 0;
	for (int i = 0; i < f.cells(); i++)
		for (int j = -1; j <= 1; j++)
			sum += s.weights[j + 1] * f(i + j);
	return sum;
}

static void steps(std::vector<int> &work, const Pair &pair, int rank)
{
	MPI_Status st;
	for (auto &w : work)
		if (rank == 0)
			MPI_Send(&w, 1, MPI_INT, pair[1], 1, MPI_COMM_WORLD);
		else
			MPI_Recv(&w, 1, MPI_INT, pair[0], 1, MPI_COMM_WORLD, &st);
}

static void refresh(Field<double> &f, const Pair &pair)
{
	MPI_Status st;
	for (int side = 0; side < pair.sides(); side++) { // slice
		double *to = side ? f.high() : f.low();
		MPI_Recv(to, f.ghosts(), MPI_DOUBLE, pair[side], 2 + side, MPI_COMM_WORLD, &st); // stop
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Field<double> f(32, 1); // slice
	Pair pair(rank, size); // slice
	std::vector<int> work(2);
	const std::vector<Stencil> all = stencils(); // slice
	f(0) = rank;
	steps(work, pair, rank);
	widen(f, all, rank); // slice
	refresh(f, pair); // slice
	std::printf("%g %d\n", apply(f, all.front()), work[1]);
	MPI_Finalize();
	return 0;
}
