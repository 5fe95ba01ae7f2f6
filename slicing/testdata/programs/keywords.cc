// tune: rank=0 size=4 stop=MPI_Recv:2
// The deck is read into a map of strings; a value that is given twice is appended.
#include <mpi.h>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

class Deck {
public:
	explicit Deck(const std::string &text)
	{
		std::istringstream in(text); // slice
		std::string line; // slice
		while (std::getline(in, line)) { // slice
			std::size_t at = line.find('='); // slice
			if (at != std::string::npos) // slice
				values_[line.substr(0, at)] += line.substr(at + 1); // root
		}
	}
	int number(const std::string &key, int otherwise) const
	{
		auto v = values_.find(key); // slice
		return v == values_.end() ? otherwise : std::stoi(v->second); // slice
	}

private:
	std::map<std::string, std::string> values_;
};

struct Run {
	int steps, stride, every;
};

static Run configure(const Deck &d)
{
	Run r; // slice
	r.steps = d.number("steps", 2); // slice
	r.stride = d.number("stride", 1); // slice
	r.every = d.number("every", 10);
	return r; // slice
}

static double advance(const Run &r, int rank, int size)
{
	double x = rank, y = 0;
	MPI_Status st;
	for (int i = 0; i < r.steps; i++) { // slice
		int to = (rank + r.stride) % size, from = (rank + size - r.stride % size) % size; // slice
		MPI_Send(&x, 1, MPI_DOUBLE, to, i, MPI_COMM_WORLD);
		MPI_Recv(&y, 1, MPI_DOUBLE, from, i, MPI_COMM_WORLD, &st); // stop
		if (i % r.every == 0)
			std::printf("%g\n", y);
	}
	return y;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Deck deck("steps=2\nstride=1\nsteps=1\n"); // slice
	Run r = configure(deck); // slice
	std::printf("%g\n", advance(r, rank, size)); // slice
	MPI_Finalize();
	return 0;
}
