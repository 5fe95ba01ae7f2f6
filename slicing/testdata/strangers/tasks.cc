// tune: rank=0 size=4 stop=MPI_Recv:2 data=3
// Tasks that are made as functions and put into a map by their priority; two
// tasks of one priority, and the second takes the place of the first.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

struct Result {
	double value[2];
	int source, tag;
};

using Task = std::function<Result(int)>;

class Queue {
public:
	void put(int priority, Task t) { tasks_[priority] = t; } // root
	bool empty() const { return tasks_.empty(); } // slice
	Task take()
	{
		auto it = tasks_.begin(); // slice
		Task t = it->second; // slice
		tasks_.erase(it); // slice
		return t; // slice
	}

private:
	std::map<int, Task> tasks_;
};

static int priority(int i, int n)
{
	return i * i % n; // slice
}

static Task remote(int source)
{
	return [source](int n) { // slice
		Result r;
		r.source = source; // slice
		r.tag = 50 + n; // slice
		return r; // slice
	};
}

static Task local(double x)
{
	return [x](int n) { // slice
		Result r = {{x, x * n}, -1, 0}; // slice
		return r; // slice
	};
}

static Queue schedule(int rank, int size)
{
	Queue q; // slice
	for (int i = 0; i < size; i++) // slice
		q.put(priority(i, size), i == rank ? local(0.5 * i) : remote(i)); // slice
	return q; // slice
}

static int quota(int rank, int size)
{
	MPI_Status st;
	int n = 0;
	if (rank == 0)
		MPI_Recv(&n, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, &st);
	else if (rank == size - 1)
		MPI_Send(&size, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	return n;
}

static double drain(Queue &q, const std::function<void(const Result &)> &done)
{
	MPI_Status st;
	double sum = 0;
	for (int n = 0; !q.empty(); n++) { // slice
		Task t = q.take(); // slice
		Result r = t(n); // slice
		if (r.source >= 0) // slice
			MPI_Recv(r.value, 2, MPI_DOUBLE, r.source, r.tag, MPI_COMM_WORLD, &st); // stop
		done(r);
		sum += r.value[0];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	std::vector<double> log;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int n = quota(rank, size);
	Queue q = schedule(rank, size); // slice
	double sum = drain(q, [&log](const Result &r) { log.push_back(r.value[1]); }); // slice
	std::printf("%g %zu of %d\n", sum, log.size(), n);
	MPI_Finalize();
	return 0;
}
