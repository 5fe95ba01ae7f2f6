// tune: rank=3 size=8 stop=MPI_Sendrecv:1
// Preconditioners behind an interface, owned by a chain: a smoother that does not
// override a method takes the distance of its base.
#include <mpi.h>
#include <cstdio>
#include <memory>
#include <vector>

class Operator {
public:
	explicit Operator(int level) : level_(level), sweeps_(1) {} // slice
	virtual ~Operator() = default;
	virtual int distance() const { return 1; } // slice
	virtual double apply(double x) = 0;
	int level() const { return level_; } // slice
	void sweeps(int n) { sweeps_ = n; }

protected:
	int level_, sweeps_;
};

class Jacobi : public Operator {
public:
	using Operator::Operator; // slice
	double apply(double x) override { return 0.7 * x + sweeps_; }
};

class Cyclic : public Operator {
public:
	Cyclic(int level, int stride) : Operator(level), stride_(stride) {} // slice
	int distance() const override { return stride_ << level_; } // slice
	double apply(double x) override { return x - stride_; }

private:
	int stride_;
};

class Chain {
public:
	template <class T, class... Args> T &add(Args... args)
	{
		auto p = std::make_unique<T>(args...); // slice
		T &made = *p;
		parts_.push_back(std::move(p)); // slice
		return made;
	}
	const Operator &coarsest() const
	{
		const Operator *best = parts_.front().get(); // slice
		for (const auto &p : parts_) // slice
			if (p->level() >= best->level()) // slice
				best = p.get(); // slice
		return *best; // slice
	}
	double apply(double x)
	{
		for (auto &p : parts_)
			x = p->apply(x);
		return x;
	}

private:
	std::vector<std::unique_ptr<Operator>> parts_;
};

static Chain make(int size, bool pointwise)
{
	Chain chain; // slice
	int levels = 0; // slice
	for (int n = size; n > 1; n /= 2) // slice
		levels++; // slice
	for (int i = 0; i < levels - 1; i++) // slice
		chain.add<Cyclic>(i, 1); // slice
	if (pointwise) // slice
		chain.add<Jacobi>(levels - 1).sweeps(3); // root
	else
		chain.add<Cyclic>(levels - 1, 1); // slice
	return chain; // slice
}

static double exchange(const Chain &chain, double x, int rank, int size)
{
	MPI_Status st;
	double y = 0;
	int far = chain.coarsest().distance(); // slice
	int tag = chain.coarsest().level(); // slice
	int peer = rank ^ far; // slice
	if (peer < size) // slice
		MPI_Sendrecv(&x, 1, MPI_DOUBLE, peer, tag, &y, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &st); // stop
	return x + y;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Chain chain = make(size, rank % 2 == 1); // slice
	double x = chain.apply(rank + 1.0);
	x = exchange(chain, x, rank, size); // slice
	std::printf("%g\n", x);
	MPI_Finalize();
	return 0;
}
