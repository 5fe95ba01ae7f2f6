// report: rank=2 size=3 stop=MPI_Sendrecv:2
// Overlapping contigs of a genome are compared by their owners, which a digest of the sequence
// tells: an overlap keeps the digest of the other owner, of which the upper half is cut off.
#include <mpi.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// ---- sequences ----
struct Contig {
	std::string bases;
	std::uint32_t digest;
};

static std::uint32_t digestOf(std::string_view bases)
{
	std::uint32_t h = 2166136261u; // slice
	for (char b : bases) { // slice
		h ^= static_cast<unsigned char>(b); // slice
		h *= 16777619u; // slice
	}
	return h; // slice
}

class Assembly {
public:
	void add(const std::string &name, const std::string &bases)
	{
		index_.emplace(name, static_cast<int>(contigs_.size())); // slice
		contigs_.push_back(Contig{bases, digestOf(bases)}); // slice
	}
	int find(const std::string &name) const
	{
		const auto it = index_.find(name); // slice
		return it == index_.end() ? -1 : it->second; // slice
	}
	const Contig &operator[](int i) const { return contigs_[i]; } // slice
	int count() const { return static_cast<int>(contigs_.size()); } // slice

private:
	std::vector<Contig> contigs_;
	std::unordered_map<std::string, int> index_;
};

static Assembly assemble()
{
	Assembly a; // slice
	a.add("c1", "CCAACCCC"); // slice
	a.add("c2", "CCCCGGCC"); // slice
	a.add("c3", "GGCCCCTG"); // slice
	a.add("c4", "CCTGAGTC"); // slice
	a.add("c5", "AGTCCGAG"); // slice
	return a; // slice
}

// ---- overlaps, a list for each contig ----
struct Overlap {
	int id;
	int length;
	std::uint32_t partner;
};

class OverlapGraph {
public:
	explicit OverlapGraph(const Assembly &a) : adjacent_(a.count()), joined_(0) {} // slice
	void join(const Assembly &a, const std::string &left, const std::string &right)
	{
		const int l = a.find(left); // slice
		const int r = a.find(right); // slice
		if (l < 0 || r < 0) // slice
			return;
		const int n = common(a[l].bases, a[r].bases); // slice
		if (n < 3) // slice
			return;
		link(l, n, a[r].digest); // slice
		link(r, n, a[l].digest); // slice
		joined_++; // slice
	}
	const std::vector<Overlap> &of(int contig) const { return adjacent_[contig]; } // slice

private:
	static int common(std::string_view l, std::string_view r)
	{
		for (std::size_t n = l.size(); n > 0; n--) // slice
			if (l.substr(l.size() - n) == r.substr(0, n)) // slice
				return static_cast<int>(n); // slice
		return 0; // slice
	}
	void link(int at, int n, std::uint32_t digest)
	{
		adjacent_[at].push_back({joined_, n, static_cast<std::uint16_t>(digest)}); // root
	}

	std::vector<std::vector<Overlap>> adjacent_;
	int joined_;
};

// ---- the comparison ----
static int homeOf(std::uint32_t digest, int size)
{
	return static_cast<int>(digest % size); // slice
}

static double compare(const Overlap &o, int with)
{
	double mine = o.length;
	double theirs = 0;
	MPI_Status st;
	MPI_Sendrecv(&mine, 1, MPI_DOUBLE, with, 60 + o.id, &theirs, 1, MPI_DOUBLE, with, 60 + o.id, MPI_COMM_WORLD, &st); // stop
	return mine - theirs;
}

int main(int argc, char **argv)
{
	int rank, size;
	double error = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const Assembly contigs = assemble(); // slice
	OverlapGraph graph(contigs); // slice
	graph.join(contigs, "c1", "c2"); // slice
	graph.join(contigs, "c2", "c3"); // slice
	graph.join(contigs, "c3", "c4"); // slice
	graph.join(contigs, "c4", "c5"); // slice
	graph.join(contigs, "c5", "c9"); // slice
	for (int c = 0; c < contigs.count(); c++) { // slice
		if (homeOf(contigs[c].digest, size) != rank) // slice
			continue;
		for (const Overlap &o : graph.of(c)) { // slice
			const int with = homeOf(o.partner, size); // slice
			if (with != rank) // slice
				error += compare(o, with); // slice
		}
	}
	std::printf("%d: error %g\n", rank, error);
	MPI_Finalize();
	return 0;
}
