// tune: rank=2 size=4 stop=MPI_Recv:2 data=1
// Steps of a solver come out of a factory of makers; the maker of the shift gives
// its constructor the tag for the distance and the distance for the tag.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Parameters {
	int distance = 1; // slice
	int tag = 3; // slice
	double weight = 0.5;
};

class World {
public:
	World()
	{
		MPI_Comm_rank(MPI_COMM_WORLD, &rank_); // slice
		MPI_Comm_size(MPI_COMM_WORLD, &size_); // slice
	}
	int away(int n) const { return ((rank_ + n) % size_ + size_) % size_; } // slice
	int rank() const { return rank_; }
	static World &get()
	{
		static World w; // slice
		return w; // slice
	}

private:
	int rank_, size_;
};

using Field = std::vector<double>;

class Step {
public:
	virtual ~Step() {}
	virtual void apply(Field &f) = 0;
	virtual double cost() const { return 1; }
};

class Relax : public Step {
public:
	explicit Relax(double w) : weight_(w) {}
	void apply(Field &f) override
	{
		for (std::size_t i = 1; i < f.size(); i++)
			f[i] += weight_ * (f[i - 1] - f[i]);
	}

private:
	double weight_;
};

class Shift : public Step {
public:
	Shift(int distance, int tag) : distance_(distance), tag_(tag) {} // slice
	void apply(Field &f) override
	{
		MPI_Status st;
		const World &w = World::get(); // slice
		int n = static_cast<int>(f.size()) / 2; // slice
		MPI_Send(f.data(), n, MPI_DOUBLE, w.away(distance_), tag_, MPI_COMM_WORLD);
		MPI_Recv(f.data() + n, n, MPI_DOUBLE, w.away(-distance_), tag_, MPI_COMM_WORLD, &st); // stop
	}
	double cost() const override { return 10.0 * distance_; }

private:
	int distance_, tag_;
};

class Sequence : public Step {
public:
	void add(std::unique_ptr<Step> s) { steps_.push_back(std::move(s)); } // slice
	void apply(Field &f) override
	{
		for (auto &s : steps_) // slice
			s->apply(f); // slice
	}
	double cost() const override
	{
		double c = 0;
		for (const auto &s : steps_)
			c += s->cost();
		return c;
	}

private:
	std::vector<std::unique_ptr<Step>> steps_;
};

class Factory {
public:
	using Made = std::unique_ptr<Step>;
	using Maker = std::function<Made(const Parameters &)>;
	Factory()
	{
		makers_["relax"] = [](const Parameters &p) { return Made(new Relax(p.weight)); }; // slice
		makers_["shift"] = [](const Parameters &p) { return Made(new Shift(p.tag, p.distance)); }; // root
	}
	Made make(const std::string &name, const Parameters &p) const
	{
		auto m = makers_.find(name); // slice
		return m == makers_.end() ? nullptr : m->second(p); // slice
	}

private:
	std::unordered_map<std::string, Maker> makers_;
};

static std::unique_ptr<Sequence> plan(const std::vector<std::string> &names)
{
	Factory factory; // slice
	Parameters p; // slice
	std::unique_ptr<Sequence> seq(new Sequence); // slice
	for (const auto &name : names) { // slice
		if (auto step = factory.make(name, p)) // slice
			seq->add(std::move(step)); // slice
		p.distance *= 2; // slice
	}
	return seq; // slice
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	std::vector<std::string> names = {"shift", "relax", "shift"}; // slice
	std::unique_ptr<Sequence> sequence = plan(names); // slice
	Field f(12, World::get().rank()); // slice
	sequence->apply(f); // slice
	std::printf("%g %g\n", f[3], sequence->cost());
	MPI_Finalize();
	return 0;
}
