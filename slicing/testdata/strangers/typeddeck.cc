// tune: rank=5 size=8 stop=MPI_Recv:1
// A configuration that all share holds values of several types under names with
// the section in front: only the first section is ever entered.
#include <mpi.h>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

namespace run {

// Maybe holds a value or none.
template <class T> class Maybe {
public:
	Maybe() : has_(false), value_() {} // slice
	Maybe(const T &v) : has_(true), value_(v) {} // slice
	T orElse(const T &other) const { return has_ ? value_ : other; } // slice

private:
	bool has_;
	T value_;
};

// Value is a number without or with a fraction, or a word.
struct Value {
	enum Kind { Integer, Real, Word } kind;
	union {
		long integer;
		double real;
	};
	std::string word;
	Value() : kind(Word), integer(0) {} // slice
};

static Value parse(const std::string &text)
{
	Value v; // slice
	std::istringstream in(text); // slice
	if (text.find_first_not_of("+-0123456789") == std::string::npos) { // slice
		v.kind = Value::Integer; // slice
		in >> v.integer; // slice
	} else if (text.find_first_not_of("+-0123456789.e") == std::string::npos) { // slice
		v.kind = Value::Real; // slice
		in >> v.real;
	} else {
		v.word = text;
	}
	return v; // slice
}

class Config {
public:
	static Config &instance()
	{
		static Config only; // slice
		return only; // slice
	}

	void read(const std::string &deck)
	{
		std::istringstream in(deck); // slice
		std::string line, section; // slice
		while (std::getline(in, line)) { // slice
			if (line.empty() || line[0] == '#') // slice
				continue;
			if (line[0] == '[') { // slice
				const std::string::size_type close = line.find(']'); // slice
				if (section.empty()) // root
					section = line.substr(1, close - 1) + "."; // slice
				continue;
			}
			std::istringstream words(line); // slice
			std::string key, equals, text; // slice
			if (words >> key >> equals >> text && equals == "=") // slice
				values_[section + key] = parse(text); // slice
		}
	}

	Maybe<long> integer(const std::string &key) const
	{
		auto it = values_.find(key); // slice
		if (it == values_.end() || it->second.kind != Value::Integer) // slice
			return {}; // slice
		return it->second.integer; // slice
	}

	Maybe<double> real(const std::string &key) const
	{
		auto it = values_.find(key);
		if (it == values_.end() || it->second.kind != Value::Real)
			return {};
		return it->second.real;
	}

private:
	Config() = default;
	std::map<std::string, Value> values_;
};

} // namespace run

static const char deck[] = "# columns over land\n"
			   "fan = 3\n"
			   "[grid]\n"
			   "nx = 40\n"
			   "dx = 0.25\n"
			   "\n"
			   "[tree]\n"
			   "arity = 3\n"
			   "eager = yes\n"
			   "[output]\n"
			   "every = 12\n";

class Spread {
public:
	Spread(int rank, int size) : rank_(rank), size_(size) // slice
	{
		auto &c = run::Config::instance(); // slice
		arity_ = static_cast<int>(c.integer("tree.arity").orElse(2)); // slice
		fan_ = static_cast<int>(c.integer("fan").orElse(arity_));
	}

	void operator()(double *v, int n) const
	{
		MPI_Status st;
		if (rank_ > 0) // slice
			MPI_Recv(v, n, MPI_DOUBLE, parent(), 55, MPI_COMM_WORLD, &st); // stop
		for (int c = rank_ * fan_ + 1; c <= rank_ * fan_ + fan_ && c < size_; c++)
			MPI_Send(v, n, MPI_DOUBLE, c, 55, MPI_COMM_WORLD);
	}

private:
	int parent() const { return (rank_ - 1) / arity_; } // slice
	int rank_, size_, arity_, fan_;
};

int main(int argc, char **argv)
{
	int rank, size;
	double v[4] = {1, 2, 3, 4};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	run::Config::instance().read(deck); // slice
	v[0] = run::Config::instance().real("grid.dx").orElse(1);
	Spread spread(rank, size); // slice
	spread(v, 4); // slice
	std::printf("%d: %g %g\n", rank, v[0], v[3]);
	MPI_Finalize();
	return 0;
}
