// report: rank=0 size=2 stop=MPI_Probe:9
// The first rank models the cache of a client and waits for the lines that this must miss: for
// the model the numbers of sets and ways are swapped, and it foresees misses that are none.
#include <mpi.h>
#include <cstdio>
#include <list>
#include <memory>
#include <optional>
#include <vector>

// ---- what becomes of a line that is used again ----
struct KeepOrder {
	static void touch(std::list<long> &, std::list<long>::iterator) {}
};

struct MoveToFront {
	static void touch(std::list<long> &set, std::list<long>::iterator at)
	{
		set.splice(set.begin(), set, at); // slice
	}
};

template <class Policy>
class Cache {
public:
	Cache(int sets, int ways, int lineBytes) : sets_(sets), ways_(ways), lineBytes_(lineBytes) {} // slice
	std::optional<long> access(long address)
	{
		const long line = address / lineBytes_; // slice
		std::list<long> &set = sets_[line % static_cast<long>(sets_.size())]; // slice
		for (auto it = set.begin(); it != set.end(); ++it) // slice
			if (*it == line) { // slice
				Policy::touch(set, it); // slice
				hits_++;
				return std::nullopt; // slice
			}
		if (static_cast<int>(set.size()) == ways_) // slice
			set.pop_back(); // slice
		set.push_front(line); // slice
		return line; // slice
	}
	int hits() const { return hits_; }

private:
	std::vector<std::list<long>> sets_;
	int ways_, lineBytes_;
	int hits_ = 0;
};

using Lru = Cache<MoveToFront>;
using Fifo = Cache<KeepOrder>;

struct Geometry {
	int sets, ways, lineBytes;
	bool lru;
};

// ---- the accesses of the program that is traced ----
class Trace {
public:
	virtual ~Trace() = default;
	virtual bool next(long &address) = 0;
};

class Strided : public Trace {
public:
	Strided(long stride, int count, int sweeps) : stride_(stride), count_(count), sweeps_(sweeps), at_(0) {} // slice
	bool next(long &address) override
	{
		if (at_ == count_) { // slice
			at_ = 0; // slice
			sweeps_--; // slice
		}
		if (sweeps_ == 0) // slice
			return false; // slice
		address = at_++ * stride_; // slice
		return true; // slice
	}

private:
	long stride_;
	int count_, sweeps_, at_;
};

static std::unique_ptr<Trace> kernelTrace()
{
	return std::make_unique<Strided>(128, 8, 2); // slice
}

// ---- both sides ----
class Client {
public:
	explicit Client(const Geometry &g) : cache_(g.sets, g.ways, g.lineBytes) {}
	int run(Trace &trace)
	{
		long address = 0;
		while (trace.next(address))
			if (const auto line = cache_.access(address)) {
				const long words[2] = {*line, address};
				MPI_Send(words, 2, MPI_LONG, 0, 70, MPI_COMM_WORLD);
			}
		return cache_.hits();
	}

private:
	Lru cache_;
};

template <class C>
class Model {
public:
	Model(const Geometry &g, int client) : cache_(g.ways, g.sets, g.lineBytes), client_(client) {} // root
	long watch(Trace &trace)
	{
		long address = 0, sum = 0;
		while (trace.next(address)) // slice
			if (cache_.access(address)) // slice
				sum += miss(); // slice
		return sum;
	}

private:
	long miss()
	{
		MPI_Status st;
		int n = 0;
		MPI_Probe(client_, 70, MPI_COMM_WORLD, &st); // stop
		MPI_Get_count(&st, MPI_LONG, &n);
		std::vector<long> words(2);
		MPI_Recv(words.data(), 2, MPI_LONG, client_, 70, MPI_COMM_WORLD, &st);
		return n == 2 ? words[0] : 0;
	}

	C cache_;
	int client_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const Geometry geometry{2, 8, 32, true}; // slice
	const auto trace = kernelTrace(); // slice
	if (rank == size - 1) { // slice
		Client client(geometry);
		std::printf("%d hits\n", client.run(*trace));
	} else if (rank == 0 && geometry.lru) { // slice
		Model<Lru> model(geometry, size - 1); // slice
		std::printf("sum %ld\n", model.watch(*trace)); // slice
	} else if (rank == 0) {
		Model<Fifo> model(geometry, size - 1);
		std::printf("sum %ld\n", model.watch(*trace));
	}
	MPI_Finalize();
	return 0;
}
