// tune: rank=2 size=3 stop=MPI_Recv:4 data=3 peer=0:MPI_Send:2
// A server tells its clients how many pages of a table there are, and sends those
// that are alive: what is erased is taken off the count of another table.
#include <mpi.h>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

// ---- the lowest layer ----
class Transport {
public:
	virtual ~Transport() = default;
	virtual void put(const std::vector<int> &words, int to, int tag) = 0;
	virtual void get(std::vector<int> &words, int from, int tag) = 0;
};

class MpiTransport : public Transport {
public:
	explicit MpiTransport(MPI_Comm comm) : comm_(comm) {} // slice
	void put(const std::vector<int> &words, int to, int tag) override
	{
		MPI_Send(words.data(), static_cast<int>(words.size()), MPI_INT, to, tag, comm_); // slice
	}
	void get(std::vector<int> &words, int from, int tag) override
	{
		MPI_Status st;
		MPI_Recv(words.data(), static_cast<int>(words.size()), MPI_INT, from, tag, comm_, &st); // stop
	}

private:
	MPI_Comm comm_;
};

// ---- a conversation with one partner ----
class Channel {
public:
	Channel(Transport &t, int partner, int lane) : transport_(t), partner_(partner), tag_(400 + lane) {} // slice
	void sendNumber(int n) { transport_.put({n}, partner_, tag_); } // slice
	int number()
	{
		std::vector<int> w(1); // slice
		transport_.get(w, partner_, tag_); // slice
		return w[0]; // slice
	}
	void sendPage(int id, int value) { transport_.put({id, value, id ^ value}, partner_, tag_ + 1); }
	int page()
	{
		std::vector<int> w(3); // slice
		transport_.get(w, partner_, tag_ + 1); // slice
		return (w[0] ^ w[1]) == w[2] ? w[1] : 0;
	}

private:
	Transport &transport_;
	int partner_, tag_;
};

// ---- what the server keeps ----
struct Page {
	int table, version;
	int value;
	bool dead;
};

class Store {
public:
	void insert(const std::string &key, int table, int value)
	{
		auto it = pages_.find(key); // slice
		if (it != pages_.end()) { // slice
			it->second.version++; // slice
			it->second.value = value;
			return;
		}
		pages_[key] = Page{table, 1, value, false}; // slice
		alive_[table]++; // slice
	}
	void erase(const std::string &key)
	{
		auto it = pages_.find(key); // slice
		if (it == pages_.end() || it->second.dead) // slice
			return;
		it->second.dead = true; // slice
		alive_[it->second.version]--; // root
	}
	int alive(int table) const
	{
		auto it = alive_.find(table); // slice
		return it == alive_.end() ? 0 : it->second; // slice
	}
	void stream(int table, Channel &to) const
	{
		int id = 0;
		for (const auto &p : pages_)
			if (p.second.table == table && !p.second.dead)
				to.sendPage(++id, p.second.value);
	}

private:
	std::map<std::string, Page> pages_;
	std::map<int, int> alive_;
};

static void fill(Store &s)
{
	for (const char *name : {"ice", "snow", "wind", "rain", "heat", "salt"}) { // slice
		const std::string key(name); // slice
		s.insert(key, key.find('i') == std::string::npos ? 2 : 1, static_cast<int>(key.size())); // slice
	}
	s.insert("rain", 1, 9); // slice
	s.erase("heat"); // slice
	s.erase("hail"); // slice
}

static void serve(Transport &t, int size)
{
	Store store; // slice
	std::vector<std::unique_ptr<Channel>> clients; // slice
	fill(store); // slice
	for (int c = 1; c < size; c++) // slice
		clients.push_back(std::make_unique<Channel>(t, c, 2 * c)); // slice
	for (int c = 1; c < size; c++) // slice
		clients[c - 1]->sendNumber(store.alive(c)); // slice
	for (int c = 1; c < size; c++)
		store.stream(c, *clients[c - 1]);
}

static int query(Transport &t, int rank)
{
	int sum = 0;
	Channel server(t, 0, 2 * rank); // slice
	const int pages = server.number(); // slice
	for (int p = 0; p < pages; p++) // slice
		sum += server.page(); // slice
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	MpiTransport transport(MPI_COMM_WORLD); // slice
	if (rank == 0) // slice
		serve(transport, size); // slice
	else
		sum = query(transport, rank); // slice
	std::printf("%d: %d\n", rank, sum);
	MPI_Finalize();
	return 0;
}
