// tune: rank=1 size=3 stop=MPI_Recv:1
// The parser of a material file tells in its errors at which entry it stopped; the
// entry is counted from one there, and the caller reads on behind the wrong one.
#include <mpi.h>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <exception>

static const char *const text = "12 7 31 x 5 9 4";

class Error : public std::exception {
public:
	explicit Error(int entry) : entry_(entry) {} // slice
	virtual int skip() const { return entry_; } // slice
	const char *what() const noexcept override { return "material file"; }

protected:
	int entry_;
};

class SyntaxError : public Error {
public:
	SyntaxError(int entry, char c) : Error(entry), c_(c) {} // slice
	char character() const { return c_; }

private:
	char c_;
};

class RangeError : public Error {
public:
	RangeError(int entry, int limit) : Error(entry), limit_(limit) {}
	int skip() const override { return entry_ + limit_; }

private:
	int limit_;
};

class Parser {
public:
	Parser(const char *t, int limit) : at_(t), limit_(limit), entry_(0) {} // slice
	int number()
	{
		int n = 0;
		while (*at_ == ' ') // slice
			at_++; // slice
		entry_++; // slice
		if (!std::isdigit(static_cast<unsigned char>(*at_))) // slice
			throw SyntaxError(entry_ + 1, *at_); // root
		while (std::isdigit(static_cast<unsigned char>(*at_))) // slice
			n = 10 * n + *at_++ - '0';
		if (n > limit_)
			throw RangeError(entry_, limit_);
		return n;
	}
	bool more() const { return *at_ != '\0'; } // slice

private:
	const char *at_;
	int limit_, entry_;
};

static int load(int limit, int *values)
{
	Parser p(text, limit); // slice
	int n = 0, first = 0;
	try {
		while (p.more()) // slice
			values[n++] = p.number(); // slice
	} catch (const SyntaxError &e) { // slice
		std::fprintf(stderr, "%s: '%c'\n", e.what(), e.character());
		first = e.skip(); // slice
	} catch (const Error &e) {
		first = e.skip();
	}
	return first; // slice
}

int main(int argc, char **argv)
{
	int rank, size, values[16] = {0};
	double density[4];
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int first = load(40, values); // slice
	int from = first % size; // slice
	if (from != rank) // slice
		MPI_Recv(density, 4, MPI_DOUBLE, from, 9, MPI_COMM_WORLD, &st); // stop
	std::printf("%d %g\n", values[0], density[0]);
	MPI_Finalize();
	return 0;
}
