// tune: rank=3 size=4 stop=MPI_Recv:1
// Options are cut from text and looked up by name: what ends in a blank is not
// trimmed, its name is not found, and the handler takes the default.
#include <mpi.h>
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static const char *const deck = "solver = cg\n"
				"group = 2   # ranks that share a preconditioner\n"
				"stride=2\n"
				"tolerance = 1e-8\n"
				"restart=30\n";

static std::string trim(std::string s)
{
	std::string::size_type from = s.find_first_not_of(" \t"); // slice
	if (from == std::string::npos) // slice
		return ""; // slice
	return s.substr(from); // root
}

class Options {
public:
	explicit Options(const std::string &text)
	{
		std::istringstream in(text); // slice
		std::string line; // slice
		while (std::getline(in, line)) { // slice
			std::string::size_type hash = line.find('#'); // slice
			if (hash != std::string::npos) // slice
				line.resize(hash); // slice
			std::string::size_type eq = line.find('='); // slice
			if (eq == std::string::npos) // slice
				continue;
			values_[trim(line.substr(0, eq))] = trim(line.substr(eq + 1)); // slice
		}
	}
	int integer(const std::string &key, int otherwise) const
	{
		try {
			return std::stoi(values_.at(key)); // slice
		} catch (const std::exception &) { // slice
			return otherwise; // slice
		}
	}
	double real(const std::string &key, double otherwise) const
	{
		try {
			return std::stod(values_.at(key));
		} catch (const std::exception &) {
			return otherwise;
		}
	}

private:
	std::map<std::string, std::string> values_;
};

struct Team {
	int leader, members;
	bool leads;
	double shift;
};

class Preconditioner {
public:
	Preconditioner(const Options &o, int rank, int size) : rank_(rank) // slice
	{
		int group = o.integer("group", size); // slice
		team_.leader = rank / group * group; // slice
		team_.members = o.integer("stride", 1);
		team_.leads = team_.leader == rank; // slice
		team_.shift = o.real("tolerance", 1e-6) * 1e3;
		values_.resize(16, 1.0 + rank);
	}
	void share()
	{
		if (team_.leads) // slice
			scatter();
		else
			receive(); // slice
	}
	double norm() const
	{
		double sum = team_.shift;
		for (double v : values_)
			sum += v * v;
		return sum;
	}

private:
	void scatter()
	{
		for (int m = 1; m < team_.members; m++)
			MPI_Send(values_.data(), 16, MPI_DOUBLE, rank_ + m, 40, MPI_COMM_WORLD);
	}
	void receive()
	{
		MPI_Status st;
		int tag = 40 + (rank_ - team_.leader) / 16; // slice
		MPI_Recv(values_.data(), 16, MPI_DOUBLE, team_.leader, tag, MPI_COMM_WORLD, &st); // stop
	}
	int rank_;
	Team team_;
	std::vector<double> values_;
};

int main(int argc, char **argv)
{
	int rank, size;
	std::string text = argc > 1 ? argv[1] : deck; // slice
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Options options(text); // slice
	Preconditioner p(options, rank, size); // slice
	int restart = options.integer("restart", 10);
	p.share(); // slice
	std::printf("%g %d\n", p.norm(), restart);
	MPI_Finalize();
	return 0;
}
