// tune: rank=1 size=3 stop=MPI_Recv:1
// A checkpoint whose header is damaged: the exception is caught one level too
// low, and the rank goes on with the numbers it had by default.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

constexpr int FIELDS = 4;

struct Header {
	std::array<int, FIELDS> value{};
	std::array<double, FIELDS> scale{};
};

static const char *const files[3] = {"4 2 16 1", "4 x 16 1", "4 2 16 1"};

class Reader {
public:
	explicit Reader(const std::string &text) : text_(text), at_(0) {} // slice
	int next()
	{
		const char *begin = text_.c_str() + at_; // slice
		char *end;
		long n = std::strtol(begin, &end, 10); // slice
		if (end == begin) // slice
			throw std::runtime_error("a number is missing"); // slice
		at_ += end - begin; // slice
		return static_cast<int>(n); // slice
	}

private:
	std::string text_;
	std::size_t at_;
};

static Header defaults()
{
	Header h;
	h.value.fill(1); // slice
	h.scale.fill(0.5);
	return h; // slice
}

static Header load(int rank)
{
	Header h = defaults(); // slice
	Reader in(files[rank]); // slice
	try {
		for (auto &v : h.value) // slice
			v = in.next(); // slice
	} catch (const std::exception &e) { // root
		std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
	}
	for (int i = 0; i < FIELDS; i++)
		h.scale[i] *= i + 1;
	return h; // slice
}

static int groups(const Header &h, int size)
{
	int n = h.value[1]; // slice
	if (n > size) // slice
		throw std::out_of_range("more groups than ranks");
	return n; // slice
}

static void restore(const Header &h, int rank, int size, double *state)
{
	MPI_Status st;
	int n = groups(h, size); // slice
	int leader = rank - rank % n; // slice
	if (rank > 0 && leader != rank - 1) // slice
		MPI_Recv(state, h.value[2], MPI_DOUBLE, leader, 7, MPI_COMM_WORLD, &st); // stop
	else if (rank == 0)
		MPI_Send(state, h.value[2], MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, size;
	double state[16] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	try {
		Header h = load(rank); // slice
		restore(h, rank, size, state); // slice
		std::printf("%g %g\n", state[0], h.scale[1]);
	} catch (const std::exception &e) {
		std::fprintf(stderr, "cannot restore: %s\n", e.what());
		return 1;
	}
	MPI_Finalize();
	return 0;
}
