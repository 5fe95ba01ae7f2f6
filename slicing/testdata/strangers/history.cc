// tune: rank=1 size=3 stop=MPI_Gather:8
// Variables of a history file are gathered on the rank that a table of rules names for them or whose
// turn it is: a rank that writes a file of its own takes its number from the count of the turns.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

enum class Kind { Fixed, Turns };

struct Rule {
	std::string prefix;
	Kind kind;
	int number;
};

struct Variable {
	std::string name;
	int levels;
	int home;
};

static const char rulesText[] =
	"fixed ocn. 2\n"
	"# the many fields of the air go round\n"
	"turns atm. 3\n"
	"fixed atm.q 0\n"
	"fixed lnd. 1\n";

static const char variablesText[] =
	"ocn.sst 1 g;atm.t 6 g;atm.ps 1 g;atm.qv 4 g;atm.z 6 g;lnd.soil 3 1;"
	"ocn.salt 2 g;lnd.snow 1 g;atm.u 6 g;lnd.lake 2 0;atm.v 6 g";

static std::optional<Rule> parseRule(const std::string &line)
{
	std::istringstream in(line); // slice
	std::string word; // slice
	Rule r{}; // slice
	if (line.empty() || line[0] == '#' || !(in >> word >> r.prefix >> r.number)) // slice
		return std::nullopt; // slice
	r.kind = word == "turns" ? Kind::Turns : Kind::Fixed; // slice
	return r; // slice
}

static std::vector<Rule> readRules(const std::string &text)
{
	std::vector<Rule> rules; // slice
	std::istringstream in(text); // slice
	for (std::string line; std::getline(in, line);) // slice
		if (const auto r = parseRule(line)) // slice
			rules.push_back(*r); // slice
	const auto longer = [](const Rule &a, const Rule &b) { // slice
		return std::forward_as_tuple(b.prefix.size(), a.prefix) < std::forward_as_tuple(a.prefix.size(), b.prefix); // slice
	};
	std::sort(rules.begin(), rules.end(), longer); // slice
	return rules; // slice
}

static std::vector<Variable> readVariables(const std::string &text)
{
	std::vector<Variable> all; // slice
	std::istringstream in(text); // slice
	std::string item; // slice
	while (std::getline(in, item, ';')) { // slice
		std::istringstream words(item); // slice
		Variable v; // slice
		char where = 'g'; // slice
		words >> v.name >> v.levels >> where; // slice
		v.home = where == 'g' ? -1 : where - '0'; // slice
		all.push_back(v); // slice
	}
	return all; // slice
}

// Which rank writes a variable that lies on all ranks.
class Placement {
public:
	Placement(std::vector<Rule> rules, int size) : rules_(std::move(rules)), size_(size), turn_(0) {} // slice
	int writer(const Variable &v)
	{
		int root = 0; // slice
		for (const Rule &r : rules_) { // slice
			if (v.name.compare(0, r.prefix.size(), r.prefix) != 0) // slice
				continue;
			root = r.kind == Kind::Turns ? turn_++ % r.number : r.number; // slice
			break;
		}
		load_[root] += v.levels;
		return root % size_; // slice
	}
	// The number in the name of a file that a rank writes alone.
	int fileNumber()
	{
		return turn_++; // root
	}
	const std::map<int, int> &load() const { return load_; }

private:
	std::vector<Rule> rules_;
	int size_;
	int turn_;
	std::map<int, int> load_;
};

class History {
public:
	History(Placement &placement, MPI_Comm comm, int rank, int size) : placement_(placement), comm_(comm), rank_(rank), size_(size) {} // slice
	void write(const Variable &v)
	{
		std::vector<double> mine(v.levels, 0.25 * (rank_ + 1)); // slice
		if (v.home == rank_) { // slice
			std::printf("%d: %s goes to file %d\n", rank_, v.name.c_str(), placement_.fileNumber()); // slice
			bytes_ += mine.size() * sizeof(double);
		}
		if (v.home >= 0) // slice
			return;
		collect(mine, placement_.writer(v)); // slice
	}
	std::size_t bytes() const { return bytes_; }

private:
	void collect(const std::vector<double> &mine, int root)
	{
		std::vector<double> all(root == rank_ ? mine.size() * size_ : 0);
		const int n = static_cast<int>(mine.size()); // slice
		MPI_Gather(mine.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, root, comm_); // stop
		bytes_ += all.size() * sizeof(double);
	}
	Placement &placement_;
	MPI_Comm comm_;
	int rank_, size_;
	std::size_t bytes_ = 0;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Placement placement(readRules(rulesText), size); // slice
	History history(placement, MPI_COMM_WORLD, rank, size); // slice
	for (const Variable &v : readVariables(variablesText)) // slice
		history.write(v); // slice
	std::printf("%d: %zu bytes in", rank, history.bytes());
	for (const auto &l : placement.load())
		std::printf(" %d:%d", l.first, l.second);
	std::printf("\n");
	MPI_Finalize();
	return 0;
}
