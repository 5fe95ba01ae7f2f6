// report: rank=2 size=3 stop=MPI_Gather:2
// The ranks gather the products of a forecast where these are archived: a rank remembers the
// archives that it has looked up without the member, and takes the answer for another one.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

struct Product {
	std::string name;
	int member;
	std::vector<float> values;
};

// ---- archives: a range of members each ----
class Archive {
public:
	Archive(int rank, int first, int last) : rank_(rank), first_(first), last_(last) {} // slice
	std::optional<int> holds(int member, const std::string &name) const
	{
		if (member < first_ || member > last_) // slice
			return std::nullopt; // slice
		if (std::find(closed_.begin(), closed_.end(), name) != closed_.end()) // slice
			return std::nullopt; // slice
		return rank_; // slice
	}
	void close(const std::string &name) { closed_.push_back(name); } // slice

private:
	int rank_, first_, last_;
	std::vector<std::string> closed_;
};

class Catalogue {
public:
	Archive &add(int rank, int first, int last) { return archives_.emplace_back(rank, first, last); } // slice
	int lookup(const std::string &name, int member) const
	{
		for (const Archive &a : archives_) // slice
			if (const auto r = a.holds(member, name)) // slice
				return *r; // slice
		return 0; // slice
	}

private:
	std::vector<Archive> archives_;
};

// ---- answers are remembered ----
class Locator {
public:
	explicit Locator(const Catalogue &c) : catalogue_(c) {} // slice
	int locate(const std::string &name, int member)
	{
		const std::string key = keyOf(name, member); // slice
		const auto it = known_.find(key); // slice
		if (it != known_.end()) { // slice
			saved_++;
			return it->second; // slice
		}
		const int rank = catalogue_.lookup(name, member); // slice
		known_.emplace(key, rank); // slice
		return rank; // slice
	}
	int saved() const { return saved_; }

private:
	static std::string keyOf(const std::string &name, int member)
	{
		return member < 0 ? name + "/mean" : name + "/m"; // root
	}

	const Catalogue &catalogue_;
	std::unordered_map<std::string, int> known_;
	int saved_ = 0;
};

// ---- tasks ----
class Output {
public:
	using Task = std::function<void(Locator &)>;
	explicit Output(int size) : size_(size), tasks_() {} // slice
	void report(const std::string &name, int member)
	{
		tasks_.push_back([=](Locator &l) { // slice
			const int where = l.locate(name, member); // slice
			text_ += name + "@" + std::to_string(where) + " ";
		});
	}
	void archive(Product p)
	{
		tasks_.push_back([this, p](Locator &l) { // slice
			const int root = l.locate(p.name, p.member); // slice
			const int n = static_cast<int>(p.values.size()); // slice
			std::vector<float> all(p.values.size() * size_);
			MPI_Gather(p.values.data(), n, MPI_FLOAT, all.data(), n, MPI_FLOAT, root, MPI_COMM_WORLD); // stop
		});
	}
	void run(Locator &l)
	{
		for (const Task &t : tasks_) // slice
			t(l); // slice
	}
	const std::string &text() const { return text_; }

private:
	int size_;
	std::vector<Task> tasks_;
	std::string text_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	Catalogue catalogue; // slice
	catalogue.add(1, 0, 3); // slice
	catalogue.add(2, 3, 7).close("rain"); // slice
	catalogue.add(0, 6, 9); // slice
	Locator locator(catalogue); // slice
	Output output(size); // slice
	output.archive({"wind", -1, std::vector<float>(5, 1.5f)}); // slice
	if (rank == 2) // slice
		output.report("heat", 5); // slice
	output.archive({"heat", 2, std::vector<float>(4, 0.5f + rank)}); // slice
	output.archive({"rain", 6, std::vector<float>(3, 2.5f)}); // slice
	output.run(locator); // slice
	std::printf("%d: %s %d\n", rank, output.text().c_str(), locator.saved());
	MPI_Finalize();
	return 0;
}
