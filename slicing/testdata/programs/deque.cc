// tune: rank=1 size=4 stop=MPI_Recv:1
// Work items in a container of structs, found by a template with a lambda, run by std::function.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

struct Item {
	std::string name;
	int priority;
	int source;
	int tag;
};

template <typename T, typename F> static T &best(std::vector<T> &all, F better)
{
	std::size_t at = 0; // slice
	for (std::size_t i = 1; i < all.size(); i++) // slice
		if (better(all[i], all[at])) // slice
			at = i; // slice
	return all[at]; // slice
}

static int check(int tag, int limit)
{
	if (tag > limit) // slice
		throw std::runtime_error("tag");
	return tag; // slice
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	std::vector<Item> items;
	for (int i = 0; i < size; i++) // slice
		items.push_back(Item{"item", (i * 3) % 4, i, 30 + rank}); // root
	double in[4] = {0, 0, 0, 0}, sum = 0;
	std::function<void(const Item &)> run = [&](const Item &it) { // slice
		MPI_Recv(in, 4, MPI_DOUBLE, it.source, it.tag, MPI_COMM_WORLD, (MPI_Status *)0); // stop
	};
	Item &it = best(items, [](const Item &a, const Item &b) { return a.priority > b.priority; }); // slice
	try {
		it.tag = check(it.tag, 100); // slice
	} catch (const std::exception &e) {
		it.tag = 1;
	}
	sum += it.name.size();
	run(it); // slice
	for (double d : in)
		sum += d;
	std::printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
