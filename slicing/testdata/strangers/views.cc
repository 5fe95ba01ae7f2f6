// tune: rank=2 size=4 stop=MPI_Recv:1
// Cursors with references into shared state: a copy of a cursor still moves the
// position of the first one.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

struct Ring {
	std::array<double, 8> value{};
	std::array<int, 8> rank{};
	int position = 0; // slice
	int hits = 0;
};

class Cursor {
public:
	Cursor(std::shared_ptr<Ring> ring, int &position) : ring_(ring), position_(position) {} // slice
	Cursor &operator+=(int n)
	{
		position_ = (position_ + n) % 8; // slice
		ring_->hits++;
		return *this;
	}
	int &operator*() { return ring_->rank[position_]; } // slice
	double &value() const { return ring_->value[position_]; }

private:
	std::shared_ptr<Ring> ring_;
	int &position_;
};

static std::shared_ptr<Ring> make(int size)
{
	auto ring = std::make_shared<Ring>(); // slice
	for (int i = 0; i < 8; i++) { // slice
		ring->rank[i] = i * 3 % size; // slice
		ring->value[i] = 1.5 * i;
	}
	return ring; // slice
}

class Walker {
public:
	Walker(const std::shared_ptr<Ring> &ring, int start) : ring_(ring), cursor_(ring, ring->position) // slice
	{
		cursor_ += start; // slice
	}
	int ahead(int n) const
	{
		Cursor c = cursor_; // root
		c += n; // slice
		return *c; // slice
	}
	int here() { return *cursor_; } // slice
	double value() const { return cursor_.value(); }

private:
	std::weak_ptr<Ring> ring_;
	Cursor cursor_;
};

static void pass(Walker &w, int rank, double *buf)
{
	MPI_Status st;
	int next = w.ahead(1); // slice
	int from = w.here(); // slice
	if (rank == 0) // slice
		MPI_Send(buf, 4, MPI_DOUBLE, next, 3, MPI_COMM_WORLD);
	else if (from != next + rank) // slice
		MPI_Recv(buf, 4, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	std::vector<double> buf(4);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	std::shared_ptr<Ring> ring = make(size); // slice
	Walker w(ring, rank); // slice
	buf[0] = w.value();
	pass(w, rank, buf.data()); // slice
	std::printf("%g %d\n", buf[0], ring->hits);
	MPI_Finalize();
	return 0;
}
