// tune: rank=5 size=8 stop=MPI_Recv:1
// Stages of a butterfly are built first and run later, their partners worked out
// by lambdas: one of them holds the builder where it should hold the number.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Signal {
	int rank;
	double v[8];
};

class Stage {
public:
	virtual ~Stage() = default;
	virtual void run(Signal &s) = 0;
	virtual std::string name() const = 0;
};

class Local : public Stage {
public:
	Local(std::string name, std::function<double(double)> f) : name_(std::move(name)), f_(std::move(f)) {}
	void run(Signal &s) override
	{
		for (double &x : s.v)
			x = f_(x);
	}
	std::string name() const override { return name_; }

private:
	std::string name_;
	std::function<double(double)> f_;
};

using Partner = std::function<int(int)>;

class Swap : public Stage {
public:
	Swap(int tag, Partner to, Partner from)
		: tag_(tag), // slice
		  to_(std::move(to)),
		  from_(std::move(from)) // slice
	{
	}
	void run(Signal &s) override
	{
		double in[8];
		MPI_Status st;
		MPI_Send(s.v, 8, MPI_DOUBLE, to_(s.rank), tag_, MPI_COMM_WORLD);
		const int source = from_(s.rank); // slice
		MPI_Recv(in, 8, MPI_DOUBLE, source, tag_, MPI_COMM_WORLD, &st); // stop
		for (int i = 0; i < 8; i++)
			s.v[i] = s.rank > source ? in[i] - s.v[i] : in[i] + s.v[i];
	}
	std::string name() const override { return "swap " + std::to_string(tag_); }

private:
	int tag_;
	Partner to_, from_;
};

class Probe : public Stage {
public:
	void run(Signal &s) override
	{
		for (double x : s.v)
			peak_ = std::fmax(peak_, std::fabs(x));
	}
	std::string name() const override { return "peak " + std::to_string(peak_); }

private:
	double peak_ = 0;
};

class Builder {
public:
	explicit Builder(int size) : size_(size), stride_(size / 2) {} // slice
	Builder &levels()
	{
		for (int l = 0; size_ >> l > 1; l++) // slice
			level(l); // slice
		return *this; // slice
	}
	Builder &probe()
	{
		stages_.push_back(std::make_unique<Probe>()); // slice
		return *this;
	}
	void run(Signal &s)
	{
		for (auto &stage : stages_) // slice
			stage->run(s); // slice
	}
	void list() const
	{
		for (const auto &stage : stages_)
			std::printf("%s\n", stage->name().c_str());
	}

private:
	void level(int l)
	{
		const int bit = size_ >> (l + 1);
		auto to = [bit](int rank) { return rank ^ bit; };
		auto from = [this](int rank) { return rank ^ stride_; }; // root
		stages_.push_back(std::make_unique<Local>("twist", [l](double x) { return x * std::cos(0.1 * l); })); // slice
		stages_.push_back(std::make_unique<Swap>(70 + l, to, from)); // slice
		stride_ /= 2; // slice
	}

	int size_;
	int stride_;
	std::vector<std::unique_ptr<Stage>> stages_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	Signal s{rank, {1, 2, 3, 4, 5, 6, 7, 8}}; // slice
	Builder pipeline(size); // slice
	pipeline.levels().probe(); // slice
	pipeline.run(s); // slice
	if (rank == 0)
		pipeline.list();
	MPI_Finalize();
	return 0;
}
