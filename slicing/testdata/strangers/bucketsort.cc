// report: rank=0 size=4 stop=MPI_Wait:2
// Keys are sorted into the buckets of all ranks: the width of a bucket is a quotient whose
// divisor lacks its parentheses, and keys are expected from ranks that have none for this one.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

// ---- a request that is waited for once ----
class Pending {
public:
	Pending() = default;
	Pending(Pending &&other) noexcept : request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {} // slice
	Pending(const Pending &) = delete;
	Pending &operator=(const Pending &) = delete;
	MPI_Request *handle() { return &request_; } // slice
	bool open() const { return request_ != MPI_REQUEST_NULL; }
	void finish()
	{
		MPI_Status st;
		MPI_Wait(&request_, &st); // stop
	}

private:
	MPI_Request request_ = MPI_REQUEST_NULL;
};

// ---- the keys that a rank is given, the same formula everywhere ----
class KeySource {
public:
	KeySource(int perRank, int range) : perRank_(perRank), range_(range) {} // slice
	template <class F>
	void each(int rank, F &&f) const
	{
		for (int i = 0; i < perRank_; i++) // slice
			f((rank * 977 + i * 613 + 40) % range_); // slice
	}

private:
	int perRank_, range_;
};

// ---- buckets: several of them belong to each rank ----
class Buckets {
public:
	Buckets(int range, int ranks, int parts) : range_(range), ranks_(ranks), parts_(parts) // slice
	{
		width_ = range_ / ranks_ * parts_; // root
		for (int r = 1; r < ranks_; r++)
			edges_.push_back(range_ / ranks_ * r);
	}
	int bucket(int key) const { return key / width_; } // slice
	int home(int bucket) const { return std::min(bucket / parts_, ranks_ - 1); } // slice
	int behind(int key) const
	{
		const auto e = std::upper_bound(edges_.begin(), edges_.end(), key);
		return static_cast<int>(e - edges_.begin());
	}

private:
	int range_, ranks_, parts_;
	int width_;
	std::vector<int> edges_;
};

static constexpr int kRoom = 16;

// ---- the exchange ----
class Exchange {
public:
	Exchange(const KeySource &keys, const Buckets &buckets, int rank, int size) : keys_(keys), buckets_(buckets), rank_(rank), size_(size) {} // slice
	void expect()
	{
		for (int q = 0; q < size_; q++) { // slice
			int wanted = 0; // slice
			keys_.each(q, [&](int key) { // slice
				if (buckets_.home(buckets_.bucket(key)) == rank_) // slice
					wanted++; // slice
			});
			if (q == rank_ || wanted == 0) // slice
				continue;
			inbox_.emplace_back(kRoom);
			pending_.emplace_back(); // slice
			MPI_Irecv(inbox_.back().data(), kRoom, MPI_INT, q, 31, MPI_COMM_WORLD, pending_.back().handle()); // slice
		}
	}
	void ship()
	{
		std::vector<std::vector<int>> out(size_);
		keys_.each(rank_, [&](int key) {
			out[buckets_.behind(key)].push_back(key);
		});
		for (int q = 0; q < size_; q++)
			if (q != rank_ && !out[q].empty())
				MPI_Send(out[q].data(), static_cast<int>(out[q].size()), MPI_INT, q, 31, MPI_COMM_WORLD);
		kept_ = out[rank_];
	}
	void drain()
	{
		for (Pending &p : pending_) // slice
			p.finish(); // slice
	}
	std::size_t total() const { return kept_.size() + inbox_.size(); }

private:
	const KeySource &keys_;
	const Buckets &buckets_;
	int rank_, size_;
	std::vector<int> kept_;
	std::vector<std::vector<int>> inbox_;
	std::vector<Pending> pending_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const int range = 4096; // slice
	const KeySource keys(3, range); // slice
	const Buckets buckets(range, size, 2); // slice
	Exchange exchange(keys, buckets, rank, size); // slice
	exchange.expect(); // slice
	exchange.ship();
	exchange.drain(); // slice
	std::printf("%d: %zu parts\n", rank, exchange.total());
	MPI_Finalize();
	return 0;
}
