// tune: rank=1 size=4 stop=MPI_Sendrecv:5
// A plasma patch sends its faces and corners to the patches around it: the place of the
// own patch is moved, where a copy of it was meant, as soon as a corner is looked up.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

template <int D>
struct Place {
	std::array<int, D> at;
	int &operator[](int d) { return at[d]; } // slice
	int operator[](int d) const { return at[d]; } // slice
	Place &operator+=(const Place &o)
	{
		for (int d = 0; d < D; d++) // slice
			at[d] += o.at[d]; // slice
		return *this;
	}
	Place operator-() const
	{
		Place r;
		for (int d = 0; d < D; d++) // slice
			r.at[d] = -at[d]; // slice
		return r; // slice
	}
};

// Patches in a box; a bit of wrap_ tells whether the box is closed in that direction.
template <int D>
class Topology {
public:
	Topology(std::array<int, D> extent, unsigned wrap) : extent_(extent), wrap_(wrap) {} // slice
	void settle(int rank)
	{
		for (int d = D - 1; d >= 0; d--) { // slice
			here_[d] = rank % extent_[d]; // slice
			rank /= extent_[d]; // slice
		}
	}
	// The rank of the patch at a place, or nobody.
	int rankAt(const Place<D> &p) const
	{
		int rank = 0; // slice
		for (int d = 0; d < D; d++) { // slice
			int c = p[d]; // slice
			if (wrap_ & (1u << d)) // slice
				c = (c % extent_[d] + extent_[d]) % extent_[d]; // slice
			else if (c < 0 || c >= extent_[d]) // slice
				return MPI_PROC_NULL; // slice
			rank = rank * extent_[d] + c; // slice
		}
		return rank; // slice
	}
	int face(int d, int sign)
	{
		Place<D> p = here_;
		p[d] += sign;
		return rankAt(p);
	}
	int corner(const Place<D> &offset)
	{
		Place<D> &p = here_; // root
		p += offset; // slice
		return rankAt(p); // slice
	}

private:
	std::array<int, D> extent_;
	unsigned wrap_;
	Place<D> here_;
};

class Patch {
public:
	explicit Patch(double charge) : charge_(charge) {}
	void deposit(const std::vector<double> &in)
	{
		for (double v : in)
			charge_ += 0.125 * v;
	}
	std::vector<double> edge(std::size_t n) const { return std::vector<double>(n, charge_); } // slice
	double charge() const { return charge_; }

private:
	double charge_;
};

class Exchange {
public:
	Exchange(Topology<2> &topo, Patch &patch) : topo_(topo), patch_(patch) {} // slice
	void faces(std::size_t width)
	{
		for (int d = 0; d < 2; d++)
			for (int sign = -1; sign <= 1; sign += 2)
				swap(topo_.face(d, sign), topo_.face(d, -sign), width);
	}
	void corners()
	{
		Place<2> off;
		for (off[0] = -1; off[0] <= 1; off[0] += 2) // slice
			for (off[1] = -1; off[1] <= 1; off[1] += 2) { // slice
				const int to = topo_.corner(off); // slice
				const int from = topo_.corner(-off); // slice
				swap(to, from, 1); // slice
			}
	}
	int messages() const { return messages_; }

private:
	void swap(int to, int from, std::size_t n)
	{
		std::vector<double> out = patch_.edge(n); // slice
		std::vector<double> in(n, 0.0); // slice
		if (to == MPI_PROC_NULL && from == MPI_PROC_NULL) // slice
			return;
		MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_DOUBLE, to, 40, in.data(), static_cast<int>(in.size()), MPI_DOUBLE, from, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stop
		messages_++;
		patch_.deposit(in);
	}
	Topology<2> &topo_;
	Patch &patch_;
	int messages_ = 0;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Topology<2> topo({size / 2, 2}, 2u); // slice
	topo.settle(rank); // slice
	Patch patch(0.5 + rank);
	Exchange exchange(topo, patch); // slice
	const std::array<std::function<void()>, 2> phases = { // slice
		[&] { exchange.faces(4); },
		[&] { exchange.corners(); }, // slice
	};
	for (const auto &phase : phases) // slice
		phase(); // slice
	std::printf("%d: %d messages, charge %g\n", rank, exchange.messages(), patch.charge());
	MPI_Finalize();
	return 0;
}
