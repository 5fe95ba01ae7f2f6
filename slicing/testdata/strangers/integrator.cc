// tune: rank=1 size=2 stop=MPI_Wait:1
// Integrators behind an interface: the factory of one rank takes the wrong kind,
// whose number of stages asks for one more message.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

enum class Kind { Euler, Midpoint, Kutta };

class Integrator {
public:
	virtual ~Integrator() {}
	virtual int stages() const = 0;
	virtual double weight(int i) const { return 1.0 / (i + 1); }
	virtual int tag(int stage) const { return stage + 1; }
};

class Euler : public Integrator {
public:
	int stages() const override { return 1; } // slice
};

class Midpoint : public Integrator {
public:
	explicit Midpoint(bool twice) : n_(twice ? 4 : 2) {} // slice
	int stages() const override { return n_; } // slice
	double weight(int) const override { return 0.5; }

private:
	int n_;
};

class Kutta : public Midpoint {
public:
	Kutta() : Midpoint(true) {} // slice
	double weight(int i) const override { return i % 3 ? 1.0 / 3 : 1.0 / 6; }
};

static Kind choose(const char *name, double stiff)
{
	std::string s = name ? name : ""; // slice
	if (s == "euler") // slice
		return Kind::Euler; // slice
	if (stiff > 10.0) // root
		return Kind::Kutta; // slice
	return Kind::Midpoint; // slice
}

static std::unique_ptr<Integrator> make(Kind k)
{
	switch (k) { // slice
	case Kind::Euler:
		return std::make_unique<Euler>(); // slice
	case Kind::Midpoint:
		return std::make_unique<Midpoint>(false); // slice
	default:
		return std::make_unique<Kutta>(); // slice
	}
}

static double stiffness(int rank, const double *v, int n)
{
	double most = 0; // slice
	for (int i = 0; i < n; i++) // slice
		if (v[i] * v[i] > most) // slice
			most = v[i] * v[i]; // slice
	return most + rank; // slice
}

static double step(const Integrator &in, double x, int peer, int shift)
{
	double y = 0;
	MPI_Status st;
	for (int i = 0; i < in.stages(); i++) { // slice
		MPI_Request request;
		double k = x * in.weight(i);
		if (i == 3) { // slice
			MPI_Irecv(&y, 1, MPI_DOUBLE, peer, in.stages() - 1 + shift, MPI_COMM_WORLD, &request); // slice
			MPI_Send(&k, 1, MPI_DOUBLE, peer, in.tag(i), MPI_COMM_WORLD);
			MPI_Wait(&request, &st); // stop
		}
		x += k + y;
	}
	return x;
}

int main(int argc, char **argv)
{
	int rank, size, shift = 0; // slice
	double v[4], x = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	for (int i = 0; i < 4; i++) // slice
		v[i] = 3 - i + 0.25 * rank; // slice
	Kind kind = choose(std::getenv("INTEGRATOR"), stiffness(rank, v, 4)); // slice
	std::unique_ptr<Integrator> in = make(kind); // slice
	if (in->stages() > 1) // slice
		shift = 1; // slice
	x = step(*in, x, size - 1 - rank, shift); // slice
	std::printf("%g\n", x);
	MPI_Finalize();
	return 0;
}
