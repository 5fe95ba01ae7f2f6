// tune: rank=0 size=4 stop=MPI_Alltoallv:1
// Objects move to their new owners on a consistent hash ring after a member was replaced: the
// ring's memory of owners is told apart by the number of members, which is the same as before.
#include <mpi.h>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kRanks = 4;
constexpr int kRoom = 16;
constexpr int kFirst[kRanks] = {0, kRoom, 2 * kRoom, 3 * kRoom};

std::uint32_t hashOf(const std::string &text, std::uint32_t seed)
{
	std::uint32_t h = 2166136261u ^ seed; // slice
	for (char c : text) { // slice
		h ^= static_cast<unsigned char>(c); // slice
		h *= 16777619u; // slice
	}
	h ^= h >> 15; // slice
	return h * 2654435761u; // slice
}

struct Remembered {
	int owner;
	int epoch;
};

class HashRing {
public:
	explicit HashRing(int replicas) : replicas_(replicas), epoch_(0) {} // slice
	void join(const std::string &name, int rank)
	{
		for (int i = 0; i < replicas_; i++) // slice
			points_[hashOf(name, 977u * i)] = rank; // slice
		members_[name] = rank; // slice
		changed(); // slice
	}
	void leave(const std::string &name)
	{
		const auto m = members_.find(name); // slice
		if (m == members_.end()) // slice
			return;
		for (int i = 0; i < replicas_; i++) // slice
			points_.erase(hashOf(name, 977u * i)); // slice
		members_.erase(m); // slice
		changed(); // slice
	}
	int owner(const std::string &key)
	{
		const auto hit = memory_.find(key); // slice
		if (hit != memory_.end() && hit->second.epoch == epoch_) // slice
			return hit->second.owner; // slice
		auto p = points_.lower_bound(hashOf(key, 5u)); // slice
		if (p == points_.end()) // slice
			p = points_.begin(); // slice
		memory_[key] = {p->second, epoch_}; // slice
		searched_++;
		return p->second; // slice
	}
	int searched() const { return searched_; }

private:
	void changed()
	{
		epoch_ = static_cast<int>(members_.size()); // root
	}
	int replicas_;
	int epoch_;
	int searched_ = 0;
	std::map<std::uint32_t, int> points_;
	std::map<std::string, int> members_;
	std::unordered_map<std::string, Remembered> memory_;
};

struct Object {
	std::string key;
	int holder;
	int bytes;
};

std::vector<Object> inventory(int size)
{
	static const char *const kinds[] = {"mesh", "tracer", "flux", "mask"};
	std::vector<Object> all; // slice
	for (int i = 0; i < 12; i++) { // slice
		std::string key = kinds[i % 4]; // slice
		key += '/' + std::to_string(i); // slice
		all.push_back({key, 1 + i % (size - 1), 8 * (1 + i % 5)}); // slice
	}
	return all; // slice
}

// Who would have to keep how much: for the operator's eyes.
void placement(HashRing &ring, const std::vector<Object> &all, int size)
{
	std::vector<int> bytes(size, 0);
	for (const Object &o : all) // slice
		bytes[ring.owner(o.key)] += o.bytes; // slice
	for (int r = 0; r < size; r++)
		std::printf("placement %d: %d bytes\n", r, bytes[r]);
}

class Mover {
public:
	Mover(int rank, int size) : rank_(rank), sendCount_(size, 0), recvCount_(size, 0), out_(size * kRoom), in_(size * kRoom) {} // slice
	void plan(HashRing &ring, const std::vector<Object> &all)
	{
		for (const Object &o : all) { // slice
			const int to = ring.owner(o.key); // slice
			if (o.holder == rank_) { // slice
				out_[kFirst[to] + sendCount_[to]] = o.bytes;
				sendCount_[to]++; // slice
			}
			if (to == rank_) // slice
				recvCount_[o.holder]++; // slice
		}
	}
	int move()
	{
		int got = 0;
		MPI_Alltoallv(out_.data(), sendCount_.data(), kFirst, MPI_INT, in_.data(), recvCount_.data(), kFirst, MPI_INT, MPI_COMM_WORLD); // stop
		for (std::size_t r = 0; r < recvCount_.size(); r++)
			for (int i = 0; i < recvCount_[r]; i++)
				got += in_[kFirst[r] + i];
		return got;
	}

private:
	int rank_;
	std::vector<int> sendCount_, recvCount_;
	std::vector<int> out_, in_;
};

} // namespace

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	if (size != kRanks) { // slice
		std::fprintf(stderr, "for %d ranks only\n", kRanks);
		MPI_Finalize();
		return 1;
	}
	HashRing ring(7); // slice
	for (int r = 0; r < size; r++) // slice
		ring.join("node" + std::to_string(r), r); // slice
	const std::vector<Object> all = inventory(size); // slice
	if (rank == 0) // slice
		placement(ring, all, size); // slice
	ring.leave("node2"); // slice
	ring.join("spare7", 2); // slice
	Mover mover(rank, size); // slice
	mover.plan(ring, all); // slice
	const int got = mover.move(); // slice
	std::printf("%d: %d bytes, %d searches\n", rank, got, ring.searched());
	MPI_Finalize();
	return 0;
}
