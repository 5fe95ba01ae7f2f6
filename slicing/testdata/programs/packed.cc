// tune: rank=1 size=3 stop=MPI_Recv:2 data=2 peer=0:MPI_Send:1
// A message is packed into bytes by a writer, and unpacked by a reader; the count of
// what follows is written before the last entry is added.
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <vector>

class Writer {
public:
	template <typename T> void put(const T &x)
	{
		std::size_t at = bytes_.size(); // slice
		bytes_.resize(at + sizeof x); // slice
		std::memcpy(bytes_.data() + at, &x, sizeof x); // slice
	}
	void send(int to, int tag) const
	{
		MPI_Send(bytes_.data(), static_cast<int>(bytes_.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD); // slice
	}

private:
	std::vector<char> bytes_;
};

class Reader {
public:
	Reader(int from, int tag) : bytes_(64)
	{
		MPI_Status st;
		MPI_Recv(bytes_.data(), 64, MPI_CHAR, from, tag, MPI_COMM_WORLD, &st); // slice
	}
	template <typename T> T get()
	{
		T x;
		std::memcpy(&x, bytes_.data() + at_, sizeof x); // slice
		at_ += sizeof x; // slice
		return x; // slice
	}

private:
	std::vector<char> bytes_;
	std::size_t at_ = 0; // slice
};

struct Batch {
	std::vector<int> ids;
	int announced = 0;
	void add(int id)
	{
		announced = static_cast<int>(ids.size()); // root
		ids.push_back(id); // slice
	}
};

static void give(int to)
{
	Batch b; // slice
	for (int i = 0; i < 3 + to; i++) // slice
		b.add(10 * to + i); // slice
	Writer w; // slice
	w.put(to);
	w.put(b.announced); // slice
	w.send(to, 5); // slice
	for (int id : b.ids)
		MPI_Send(&id, 1, MPI_INT, to, 6, MPI_COMM_WORLD);
}

static int take()
{
	MPI_Status st;
	Reader r(0, 5); // slice
	int me = r.get<int>(), n = r.get<int>(), sum = me; // slice
	while (n-- > 0) { // slice
		int id;
		MPI_Recv(&id, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &st); // stop
		sum += id;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	if (rank == 0) // slice
		for (int to = 1; to < size; to++) // slice
			give(to); // slice
	else
		std::printf("%d\n", take()); // slice
	MPI_Finalize();
	return 0;
}
