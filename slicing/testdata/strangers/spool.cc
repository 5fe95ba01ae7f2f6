// tune: rank=0 size=3 stop=MPI_Probe:6
// A collector keeps what it expects of the workers in a ring buffer that grows: when it
// grows while it is wrapped round, the part at the front is left where it was.
#include <mpi.h>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

template <class T>
class Ring {
public:
	explicit Ring(std::size_t room) : slots_(room) {} // slice
	bool empty() const { return count_ == 0; } // slice
	std::size_t size() const { return count_; } // slice
	std::size_t room() const { return slots_.size(); }
	void reserve(std::size_t room)
	{
		if (room > slots_.size()) // slice
			relocate(room); // slice
	}
	void push(T item)
	{
		if (count_ == slots_.size()) // slice
			slots_.resize(2 * count_); // root
		slots_[(head_ + count_) % slots_.size()] = std::move(item); // slice
		count_++; // slice
	}
	T pop()
	{
		T item = std::move(slots_[head_]); // slice
		head_ = (head_ + 1) % slots_.size(); // slice
		count_--; // slice
		return item; // slice
	}

private:
	void relocate(std::size_t room)
	{
		std::vector<T> fresh(room); // slice
		for (std::size_t i = 0; i < count_; i++) // slice
			fresh[i] = std::move(slots_[(head_ + i) % slots_.size()]); // slice
		slots_.swap(fresh); // slice
		head_ = 0; // slice
	}
	std::vector<T> slots_;
	std::size_t head_ = 0; // slice
	std::size_t count_ = 0; // slice
};

// How a worker's output falls into chunks: both sides know it.
struct Layout {
	int perChunk;
	int lines(int worker, int step) const { return 3 + 2 * worker + (step + worker) % 3; } // slice
	int chunks(int worker, int step) const { return (lines(worker, step) + perChunk - 1) / perChunk; } // slice
};

static int chunkTag(int step, int chunk)
{
	return 32 * (step + 1) + chunk; // slice
}

struct Expected {
	int worker = 0; // slice
	int tag = 0; // slice
};

struct Journal {
	std::vector<int> perWorker;
	std::uint64_t digest = 14695981039346656037ULL;
	void add(int worker, const std::string &text)
	{
		perWorker[worker] += static_cast<int>(text.size());
		for (unsigned char c : text)
			digest = (digest ^ c) * 1099511628211ULL;
	}
};

class Collector {
public:
	Collector(const Layout &layout, int size, std::size_t depth) : layout_(layout), size_(size), depth_(depth), queue_(depth) // slice
	{
		journal_.perWorker.assign(size, 0);
	}
	void run(int steps)
	{
		queue_.reserve(depth_ + 1); // slice
		for (int step = 0; step < steps; step++) { // slice
			expect(step); // slice
			drain(depth_ / 2); // slice
		}
		drain(0);
	}
	const Journal &journal() const { return journal_; }

private:
	void expect(int step)
	{
		for (int w = 1; w < size_; w++) { // slice
			const int n = layout_.chunks(w, step); // slice
			for (int c = 0; c < n; c++) // slice
				queue_.push({w, chunkTag(step, c)}); // slice
		}
	}
	// Takes in what is expected until no more than keep are left.
	void drain(std::size_t keep)
	{
		while (!queue_.empty() && queue_.size() > keep) { // slice
			const Expected e = queue_.pop(); // slice
			journal_.add(e.worker, receive(e)); // slice
		}
	}
	std::string receive(const Expected &e)
	{
		MPI_Status st;
		int n = 0;
		MPI_Probe(e.worker, e.tag, MPI_COMM_WORLD, &st); // stop
		MPI_Get_count(&st, MPI_CHAR, &n);
		std::string text(n, ' ');
		MPI_Recv(&text[0], n, MPI_CHAR, e.worker, e.tag, MPI_COMM_WORLD, &st);
		return text;
	}
	const Layout &layout_;
	int size_;
	std::size_t depth_;
	Ring<Expected> queue_;
	Journal journal_;
};

static void produce(const Layout &layout, int rank, int steps)
{
	for (int step = 0; step < steps; step++) {
		int left = layout.lines(rank, step);
		const int n = layout.chunks(rank, step);
		for (int c = 0; c < n; c++) {
			std::string text;
			for (int l = 0; l < layout.perChunk && left > 0; l++, left--)
				text += std::to_string(100 * rank + 10 * step + c) + ";";
			MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, chunkTag(step, c), MPI_COMM_WORLD);
		}
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const Layout layout{4}; // slice
	const int steps = 5; // slice
	if (rank == 0) { // slice
		Collector collector(layout, size, 4); // slice
		collector.run(steps); // slice
		const auto &per = collector.journal().perWorker;
		std::printf("%d bytes, digest %llx\n", std::accumulate(per.begin(), per.end(), 0),
			static_cast<unsigned long long>(collector.journal().digest));
	} else {
		produce(layout, rank, steps);
	}
	MPI_Finalize();
	return 0;
}
