// tune: rank=2 size=4 stop=MPI_Bcast:2 data=1,3
// Operations under their names, each a lambda: one captured the root by value
// before the root was known.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

class Registry {
public:
	using Operation = std::function<int(int)>;
	void add(const std::string &name, Operation op) { table_[name] = op; } // slice
	int run(const std::string &name, int x) const
	{
		auto it = table_.find(name); // slice
		if (it == table_.end()) // slice
			return -1; // slice
		return it->second(x); // slice
	}
	std::size_t size() const { return table_.size(); }

private:
	std::map<std::string, Operation> table_;
};

struct Context {
	int rank, size, root;
	double field[8];
	int moves;
};

static int elect(const Context &c)
{
	int best = 0;
	for (int i = 1; i < c.size; i++)
		if (i * 7 % 5 > best * 7 % 5)
			best = i;
	return best;
}

static void build(Registry &r, Context &c)
{
	int root = c.root; // slice
	r.add("root", [root](int step) { return root + step; }); // root
	r.add("shift", [&c](int step) { return (c.rank + step) % c.size; }); // slice
	r.add("half", [](int n) { return n / 2; }); // slice
}

static void advance(const Registry &r, Context &c, int steps)
{
	for (int i = 0; i < steps; i++) {
		MPI_Bcast(&c.moves, 1, MPI_INT, 0, MPI_COMM_WORLD);
		c.field[i % 8] += r.run("half", c.moves) * 0.125;
	}
}

static const char *phase(const Context &c, int n)
{
	return c.size > n ? "root" : "shift"; // slice
}

static void publish(const Registry &r, Context &c)
{
	int root = r.run(phase(c, 3), 0); // slice
	if (root >= 0) // slice
		MPI_Bcast(c.field, 8, MPI_DOUBLE, root, MPI_COMM_WORLD); // stop
}

int main(int argc, char **argv)
{
	Context c = {};
	Registry r; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &c.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &c.size); // slice
	c.root = c.rank; // slice
	c.field[0] = c.rank + 1;
	build(r, c); // slice
	c.root = elect(c);
	advance(r, c, 1);
	publish(r, c); // slice
	std::printf("%g %zu\n", c.field[0], r.size());
	MPI_Finalize();
	return 0;
}
