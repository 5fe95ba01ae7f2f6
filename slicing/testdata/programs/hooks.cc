// tune: rank=1 size=4 stop=MPI_Recv:1
// Who talks to whom is asked of hooks that were registered by name; one shifts by
// one too many.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using Hook = std::function<int(int, int)>;

class Hooks {
public:
	void add(std::string name, Hook h) { all_.emplace_back(std::move(name), std::move(h)); } // slice
	const Hook *find(const std::string &name) const
	{
		for (const auto &h : all_) // slice
			if (h.first == name) // slice
				return &h.second; // slice
		return nullptr; // slice
	}

private:
	std::vector<std::pair<std::string, Hook>> all_;
};

struct Plan {
	int partner = -1, tag = 0;
};

static Plan plan(const Hooks &hooks, const std::string &how, int rank, int size)
{
	Plan p; // slice
	if (const Hook *h = hooks.find(how)) // slice
		p.partner = (*h)(rank, size); // slice
	p.tag = 7; // slice
	return p; // slice
}

static void run(const Plan &p, std::vector<double> &data)
{
	MPI_Status st;
	if (p.partner < 0) // slice
		return;
	MPI_Send(data.data(), 4, MPI_DOUBLE, p.partner, p.tag, MPI_COMM_WORLD);
	MPI_Recv(data.data() + 4, 4, MPI_DOUBLE, p.partner, p.tag, MPI_COMM_WORLD, &st); // stop
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Hooks hooks; // slice
	int stride = argc > 1 ? 2 : 1; // slice
	hooks.add("mirror", [](int r, int n) { return n - 1 - r; }); // slice
	hooks.add("pair", [stride](int r, int n) { // slice
		int to = r % 2 ? r + stride : r - stride; // root
		return to >= 0 && to < n ? to : -1; // slice
	});
	std::vector<double> data(8, rank);
	run(plan(hooks, "pair", rank, size), data); // slice
	std::printf("%g\n", data[4]);
	MPI_Finalize();
	return 0;
}
