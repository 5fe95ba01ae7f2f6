// tune: rank=1 size=3 stop=MPI_Wait:5
// A client keeps a few pages of a remote table and asks ahead for the next ones: a slot
// that is used again asks with the label of the page that it held before.
#include <mpi.h>
#include <cstdio>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kWords = 4;
constexpr int kAsk = 7;
constexpr int kReply = 100;

class Slot {
public:
	explicit Slot(int page) : page_(page), words_(kWords, 0) {} // slice
	Slot(const Slot &) = delete;
	Slot &operator=(const Slot &) = delete;
	int page() const { return page_; } // slice
	int label() const { return kReply + page_; } // slice
	void fetch()
	{
		MPI_Irecv(words_.data(), kWords, MPI_INT, 0, label(), MPI_COMM_WORLD, &arriving_); // slice
		asked_ = true; // slice
		MPI_Send(&page_, 1, MPI_INT, 0, kAsk, MPI_COMM_WORLD);
	}
	void reuse(int page)
	{
		const int old = page_; // slice
		page_ = page; // slice
		MPI_Irecv(words_.data(), kWords, MPI_INT, 0, kReply + old, MPI_COMM_WORLD, &arriving_); // root
		asked_ = true; // slice
		MPI_Send(&page_, 1, MPI_INT, 0, kAsk, MPI_COMM_WORLD);
		reused_++;
	}
	// What is in the page, as soon as it is there.
	const std::vector<int> &words()
	{
		settle(); // slice
		return words_;
	}
	int reused() const { return reused_; }

private:
	void settle()
	{
		if (asked_) // slice
			MPI_Wait(&arriving_, MPI_STATUS_IGNORE); // stop
		asked_ = false; // slice
	}
	int page_;
	int reused_ = 0;
	std::vector<int> words_;
	MPI_Request arriving_;
	bool asked_ = false;
};

// The slots by the time of their last use, the oldest at the end.
class Cache {
public:
	explicit Cache(std::size_t room) : room_(room) {} // slice
	Slot &get(int page)
	{
		const auto known = index_.find(page); // slice
		if (known != index_.end()) { // slice
			hits_++;
			slots_.splice(slots_.begin(), slots_, known->second); // slice
			return slots_.front(); // slice
		}
		if (slots_.size() < room_) { // slice
			slots_.emplace_front(page); // slice
			slots_.front().fetch(); // slice
		} else {
			const auto last = std::prev(slots_.end()); // slice
			index_.erase(last->page()); // slice
			slots_.splice(slots_.begin(), slots_, last); // slice
			slots_.front().reuse(page); // slice
		}
		index_[page] = slots_.begin(); // slice
		return slots_.front(); // slice
	}
	int hits() const { return hits_; }
	int reused() const
	{
		int n = 0;
		for (const Slot &s : slots_)
			n += s.reused();
		return n;
	}

private:
	std::size_t room_;
	int hits_ = 0;
	std::list<Slot> slots_;
	std::unordered_map<int, std::list<Slot>::iterator> index_;
};

// A walk over the pages that turns back now and then.
class Walk {
public:
	Walk(int seed, int pages, int steps) : at_(seed % pages), pages_(pages), left_(steps) {} // slice
	std::optional<int> next()
	{
		if (left_-- == 0) // slice
			return std::nullopt; // slice
		const int page = at_; // slice
		at_ = (left_ % 3 == 0 ? at_ + pages_ - 1 : at_ + 2) % pages_; // slice
		return page; // slice
	}

private:
	int at_, pages_, left_;
};

int client(int rank)
{
	Cache cache(4); // slice
	Walk walk(3 * rank, 11, 20); // slice
	std::deque<int> ahead; // slice
	int sum = 0;
	bool more = true; // slice
	while (more || !ahead.empty()) { // slice
		while (more && ahead.size() < 2) { // slice
			const std::optional<int> page = walk.next(); // slice
			more = page.has_value(); // slice
			if (more) { // slice
				ahead.push_back(*page); // slice
				cache.get(*page); // slice
			}
		}
		if (ahead.empty()) // slice
			break;
		const int page = ahead.front(); // slice
		ahead.pop_front(); // slice
		for (int w : cache.get(page).words()) // slice
			sum += w;
	}
	std::printf("%d: %d hits, %d slots used again\n", rank, cache.hits(), cache.reused());
	const int bye = -1;
	MPI_Send(&bye, 1, MPI_INT, 0, kAsk, MPI_COMM_WORLD);
	return sum;
}

void serve(int clients)
{
	while (clients > 0) {
		int page;
		MPI_Status st;
		MPI_Recv(&page, 1, MPI_INT, MPI_ANY_SOURCE, kAsk, MPI_COMM_WORLD, &st);
		if (page < 0) {
			clients--;
			continue;
		}
		const int words[kWords] = {page, page * page, page % 3, 1};
		MPI_Send(words, kWords, MPI_INT, st.MPI_SOURCE, kReply + page, MPI_COMM_WORLD);
	}
}

} // namespace

int main(int argc, char **argv)
{
	int rank, size, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) // slice
		serve(size - 1);
	else
		sum = client(rank); // slice
	std::printf("%d: %d\n", rank, sum);
	MPI_Finalize();
	return 0;
}
