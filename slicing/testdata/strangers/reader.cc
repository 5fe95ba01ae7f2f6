// tune: rank=1 size=2 stop=MPI_Recv:2 data=6,2 peer=0:MPI_Send:1
// A reader that throws on an unknown section: the handler skips a line too many,
// and the cut of the domain keeps its default.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>

struct Unknown : std::runtime_error {
	Unknown(const char *what, int lines) : std::runtime_error(what), lines_(lines) {} // slice
	int lines() const { return lines_; } // slice

private:
	int lines_;
};

struct Config {
	std::array<int, 3> dims{{1, 1, 1}};
	std::array<double, 3> origin{};
	std::array<int, 3> cut{{1, 1, 1}}; // slice
	int offset = 0;
};

static const std::array<const char *, 8> text{{"dims 8 8 4", "color 3", "red 1 0 0", "green 0 1 0", "blue 0 0 1",
	"cut 2 1 1", "origin 0 0 1", "end"}};

class Parser {
public:
	explicit Parser(Config &c) : config_(c), line_(0) {} // slice
	void parse()
	{
		while (std::strcmp(text.at(line_), "end") != 0) { // slice
			try {
				section(text[line_++]); // slice
			} catch (const Unknown &u) { // slice
				line_ += u.lines() + skipped_; // slice
			}
		}
	}

private:
	void section(const char *s)
	{
		char key[16];
		int a, b, c, n = std::sscanf(s, "%15s %d %d %d", key, &a, &b, &c); // slice
		if (!std::strcmp(key, "dims")) // slice
			config_.dims = {{a, b, c}};
		else if (!std::strcmp(key, "cut") && n == 4) // slice
			config_.cut = {{a, b, c}}; // slice
		else if (!std::strcmp(key, "origin")) // slice
			config_.origin = {{1.0 * a, 1.0 * b, 1.0 * c}};
		else
			throw Unknown(key, n > 1 ? a + 1 : 0); // root
	}
	Config &config_;
	int line_;
	int skipped_ = 0; // slice
};

static int owner(const Config &c, int i)
{
	int n = 1; // slice
	for (int d = 0; d < 3; d++) // slice
		n *= c.cut[d]; // slice
	return i - i % n + (i + c.cut[0] - 1) % n; // slice
}

static void offsets(Config &c, int rank)
{
	MPI_Status st;
	int tmp = c.dims[0] * rank;
	if (rank == 0)
		MPI_Send(&tmp, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(&c.offset, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &st);
}

int main(int argc, char **argv)
{
	int rank;
	double plane[64] = {0};
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	Config c; // slice
	Parser parser(c); // slice
	parser.parse(); // slice
	offsets(c, rank);
	int from = owner(c, rank); // slice
	if (rank > 0) // slice
		MPI_Recv(plane, 64, MPI_DOUBLE, from, c.cut[0], MPI_COMM_WORLD, &st); // stop
	std::printf("%g %d\n", plane[0] + c.origin[2], c.offset);
	MPI_Finalize();
	return 0;
}
