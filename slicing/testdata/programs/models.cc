// tune: rank=2 size=4 stop=MPI_Recv:2 data=1
// The number of rounds is the sum over models, each of a class of its own; one of
// them counts its guard cells.
#include <mpi.h>
#include <cstdio>
#include <memory>
#include <vector>

struct Extent {
	int cells, guards;
};

class Model {
public:
	explicit Model(const Extent &e) : extent_(e) {} // slice
	virtual ~Model() {}
	virtual int rounds() const = 0;
	virtual const char *name() const { return "model"; }

protected:
	Extent extent_;
};

class Flow : public Model {
public:
	using Model::Model; // slice
	int rounds() const override { return extent_.cells / 4; } // slice
	const char *name() const override { return "flow"; }
};

class Heat : public Model {
public:
	Heat(const Extent &e, int order) : Model(e), order_(order) {} // slice
	int rounds() const override
	{
		int n = extent_.cells + extent_.guards; // root
		return n / 4 * order_; // slice
	}

private:
	int order_;
};

class Coupler {
public:
	void add(std::unique_ptr<Model> m) { models_.push_back(std::move(m)); } // slice
	int rounds() const
	{
		int n = 0; // slice
		for (const auto &m : models_) // slice
			n += m->rounds(); // slice
		return n; // slice
	}
	int size() const { return static_cast<int>(models_.size()); }

private:
	std::vector<std::unique_ptr<Model>> models_;
};

static void exchange(const Coupler &c, int rank, int size)
{
	double x = rank, y;
	MPI_Status st;
	for (int i = 0, n = c.rounds(); i < n; i++) { // slice
		MPI_Send(&x, 1, MPI_DOUBLE, (rank + 1) % size, i, MPI_COMM_WORLD);
		MPI_Recv(&y, 1, MPI_DOUBLE, (rank + size - 1) % size, i, MPI_COMM_WORLD, &st); // stop
		x = 0.5 * (x + y);
	}
	std::printf("%g of %d\n", x, c.size());
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Coupler c; // slice
	Extent e = {4, rank % 2 ? 0 : 4}; // slice
	c.add(std::unique_ptr<Model>(new Flow(e))); // slice
	c.add(std::unique_ptr<Model>(new Heat(e, 2))); // slice
	exchange(c, rank, size); // slice
	MPI_Finalize();
	return 0;
}
