// tune: rank=1 size=4 stop=MPI_Bcast:6
// Settings that are shared go out from the first rank, one by one in the order of their
// names; a plug-in of the output ranks registers its own with two switches the wrong way round.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cfg {

enum Trait : unsigned { Shared = 1u, Hidden = 2u, Frozen = 4u };

struct Setting {
	int value = 0;
	unsigned traits = 0;
	bool is(Trait t) const { return (traits & t) != 0; } // slice
};

class Registry {
public:
	Registry &add(const std::string &name, int value, bool shared = true, bool hidden = false)
	{
		Setting &s = entry(name); // slice
		s.value = value;
		s.traits = (shared ? Shared : 0u) | (hidden ? Hidden : 0u); // slice
		return *this; // slice
	}
	void freeze(const std::string &name)
	{
		const auto it = all_.find(name); // slice
		if (it == all_.end()) // slice
			throw std::out_of_range("no setting " + name);
		it->second.traits |= Frozen; // slice
	}
	template <class Visitor>
	void each(Trait wanted, Visitor visit)
	{
		for (auto &[name, setting] : all_) // slice
			if (setting.is(wanted)) // slice
				visit(name, setting); // slice
	}
	// Lines "name value" that come from the command line of the first rank.
	int overrideBy(const std::string &text)
	{
		std::istringstream lines(text);
		std::string name;
		int value = 0, n = 0;
		while (lines >> name >> value) {
			const auto it = all_.find(name);
			if (it == all_.end() || it->second.is(Frozen))
				continue;
			it->second.value = value;
			n++;
		}
		return n;
	}
	int value(const std::string &name) const { return all_.at(name).value; }

private:
	Setting &entry(const std::string &name)
	{
		if (name.empty() || name.find(' ') != std::string::npos) // slice
			throw std::invalid_argument("name of a setting");
		return all_[name]; // slice
	}
	std::map<std::string, Setting> all_;
};

} // namespace cfg

// ---- what brings settings along ----
class Module {
public:
	virtual ~Module() = default;
	virtual void registerSettings(cfg::Registry &r) const = 0;
};

class Solver : public Module {
public:
	void registerSettings(cfg::Registry &r) const override
	{
		r.add("solver.sweeps", 3).add("solver.restart", 20).add("solver.trace", 0, false); // slice
	}
};

class Grid : public Module {
public:
	explicit Grid(int dims) : dims_(dims) {} // slice
	void registerSettings(cfg::Registry &r) const override
	{
		static const char *const axes[] = {"x", "y", "z"};
		for (int d = 0; d < dims_; d++) { // slice
			std::ostringstream name; // slice
			name << "grid.cells." << axes[d]; // slice
			r.add(name.str(), 16 << d); // slice
		}
		r.freeze("grid.cells.x"); // slice
	}

private:
	int dims_;
};

class Writer : public Module {
public:
	explicit Writer(int every) : every_(every) {} // slice
	void registerSettings(cfg::Registry &r) const override
	{
		if (every_ <= 0) // slice
			return;
		r.add("output.every", every_, false); // slice
		r.add("output.depth", 2, true, false); // root
	}

private:
	int every_;
};

using Modules = std::vector<std::unique_ptr<Module>>;

static Modules loadModules(int rank, int outputs)
{
	Modules m; // slice
	m.push_back(std::make_unique<Solver>()); // slice
	m.push_back(std::make_unique<Grid>(3)); // slice
	if (rank % outputs == 1) // slice
		m.push_back(std::make_unique<Writer>(10 * outputs)); // slice
	return m; // slice
}

class Spreader {
public:
	explicit Spreader(MPI_Comm parent) { MPI_Comm_dup(parent, &comm_); } // slice
	~Spreader() { MPI_Comm_free(&comm_); }
	Spreader(const Spreader &) = delete;
	Spreader &operator=(const Spreader &) = delete;
	int spread(cfg::Registry &r)
	{
		int sent = 0;
		r.each(cfg::Shared, [&](const std::string &, cfg::Setting &s) { // slice
			MPI_Bcast(&s.value, 1, MPI_INT, 0, comm_); // stop
			sent++;
		});
		return sent;
	}

private:
	MPI_Comm comm_;
};

int main(int argc, char **argv)
{
	int rank, size, status = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	try {
		cfg::Registry registry; // slice
		const Modules modules = loadModules(rank, size > 3 ? 4 : size + 1); // slice
		for (const auto &m : modules) // slice
			m->registerSettings(registry); // slice
		if (rank == 0)
			std::printf("%d settings overridden\n", registry.overrideBy("solver.sweeps 5 grid.cells.x 99 solver.none 1"));
		Spreader spreader(MPI_COMM_WORLD); // slice
		const int sent = spreader.spread(registry); // slice
		std::printf("%d: %d settings, %d sweeps, %d cells\n", rank, sent, registry.value("solver.sweeps"), registry.value("grid.cells.x"));
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%d: %s\n", rank, e.what());
		status = 1;
	}
	MPI_Finalize();
	return status;
}
