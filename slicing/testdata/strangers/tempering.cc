// report: rank=1 size=3 stop=MPI_Alltoallv:5
// Copies of a lattice exchange pieces after every sweep, as many as were asked for: the second
// rank warms its lattice up before, and what it adds to the sweeps for that is not taken off.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

struct Options {
	int sites, sweeps, warm;
	std::string rule;
};

// ---- a number of sweeps that may be extended ----
class Budget {
public:
	explicit Budget(int base) : base_(base), target_(base), done_(0) {} // slice
	void extend(int more) { target_ += more; } // slice
	bool left() const { return done_ < target_; } // slice
	void spend() { done_++; } // slice
	void restart(bool whole)
	{
		done_ = 0; // slice
		if (whole) // slice
			target_ = base_; // slice
	}

private:
	int base_, target_, done_;
};

// ---- what all samplers have ----
class Chain {
public:
	virtual ~Chain() = default;
	virtual void warmUp(int more) = 0;
	virtual void run() = 0;
	virtual int magnet() const = 0;
};

template <class Rule>
class Sampler : public Chain {
public:
	Sampler(const Options &o, int size) : spins_(o.sites, 1), budget_(o.sweeps), counts_(size, o.sites / size) {} // slice
	void warmUp(int more) override
	{
		if (more < 1) // slice
			return;
		budget_.extend(more); // slice
		while (budget_.left()) { // slice
			rule().sweep(spins_, 1);
			budget_.spend(); // slice
		}
		budget_.restart(false); // root
	}
	void run() override
	{
		while (budget_.left()) { // slice
			rule().sweep(spins_, 3);
			share(); // slice
			budget_.spend(); // slice
		}
	}
	int magnet() const override { return std::accumulate(spins_.begin(), spins_.end(), 0); }

private:
	Rule &rule() { return static_cast<Rule &>(*this); }
	void share()
	{
		std::vector<int> in(spins_.size()), at(counts_.size(), 0);
		std::partial_sum(counts_.begin(), counts_.end() - 1, at.begin() + 1);
		MPI_Alltoallv(spins_.data(), counts_.data(), at.data(), MPI_INT, in.data(), counts_.data(), at.data(), MPI_INT, MPI_COMM_WORLD); // stop
		spins_.swap(in);
	}

	std::vector<int> spins_;
	Budget budget_;
	std::vector<int> counts_;
};

class Metropolis : public Sampler<Metropolis> {
public:
	using Sampler<Metropolis>::Sampler;
	void sweep(std::vector<int> &spins, int every)
	{
		for (std::size_t i = 0; i < spins.size(); i += every)
			spins[i] = (i * 7 + tries_++) % 5 < 2 ? -spins[i] : spins[i];
	}

private:
	unsigned tries_ = 0;
};

class HeatBath : public Sampler<HeatBath> {
public:
	using Sampler<HeatBath>::Sampler;
	void sweep(std::vector<int> &spins, int every)
	{
		for (std::size_t i = 1; i < spins.size(); i += every)
			spins[i] = spins[i - 1] + spins[(i + 1) % spins.size()] > 0 ? 1 : -1;
	}
};

// ---- options: words of the command line, those of a role after a colon ----
static Options parse(const std::vector<std::string> &words, const std::string &role)
{
	Options o{6, 1, 0, "heat"}; // slice
	for (std::string w : words) { // slice
		const auto colon = w.find(':'); // slice
		if (colon != std::string::npos) { // slice
			if (w.substr(0, colon) != role) // slice
				continue;
			w.erase(0, colon + 1); // slice
		}
		const auto eq = w.find('='); // slice
		const std::string key = w.substr(0, eq); // slice
		const std::string text = w.substr(eq + 1); // slice
		if (key == "sites") // slice
			o.sites = std::atoi(text.c_str()); // slice
		else if (key == "sweeps") // slice
			o.sweeps = std::atoi(text.c_str()); // slice
		else if (key == "warm") // slice
			o.warm = std::atoi(text.c_str()); // slice
		else if (key == "rule") // slice
			o.rule = text; // slice
	}
	return o; // slice
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const std::vector<std::string> words{"sites=12", "hot:warm=3", "cold:rule=metropolis", "sweeps=4", "hot:rule=heat"}; // slice
	const Options options = parse(words, rank == 1 ? "hot" : "cold"); // slice
	std::unique_ptr<Chain> chain; // slice
	if (options.rule == "heat") // slice
		chain = std::make_unique<HeatBath>(options, size); // slice
	else
		chain = std::make_unique<Metropolis>(options, size); // slice
	chain->warmUp(options.warm); // slice
	chain->run(); // slice
	std::printf("%d: magnet %d\n", rank, chain->magnet());
	MPI_Finalize();
	return 0;
}
