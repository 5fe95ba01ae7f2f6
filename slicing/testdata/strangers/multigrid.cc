// tune: rank=4 size=6 stop=MPI_Recv:2 data=1
// A hierarchy of levels on which fewer and fewer ranks are active: a coarse level is
// made with the number of ranks of the finer one, and waits for a child beyond the last.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

struct Machine {
	int rank = 0, size = 1;
};

class Smoother {
public:
	virtual ~Smoother() = default;
	virtual void smooth(std::vector<double> &u, const std::vector<double> &f) const = 0;
};

class Jacobi : public Smoother {
public:
	explicit Jacobi(double omega) : omega_(omega) {}
	void smooth(std::vector<double> &u, const std::vector<double> &f) const override
	{
		for (std::size_t i = 1; i + 1 < u.size(); i++)
			u[i] += omega_ * (f[i] - 2 * u[i] + u[i - 1] + u[i + 1]);
	}

private:
	double omega_;
};

class Level {
public:
	Level(int depth, int stride, int active, std::size_t cells)
		: depth_(depth), stride_(stride), active_(active), u_(cells), f_(cells, 1.0) // slice
	{
	}
	bool holds(int rank) const { return rank % stride_ == 0; } // slice
	int parent(int rank) const { return rank / (2 * stride_) * 2 * stride_; }
	std::vector<int> children(int rank) const
	{
		std::vector<int> out; // slice
		int index = rank / stride_; // slice
		if (index % 2 == 0 && index + 1 < active_) // slice
			out.push_back((index + 1) * stride_); // slice
		return out; // slice
	}
	int tag() const { return 300 + depth_; } // slice
	int stride() const { return stride_; } // slice
	int active() const { return active_; } // slice
	std::vector<double> &solution() { return u_; }
	const std::vector<double> &rhs() const { return f_; }

private:
	int depth_, stride_, active_;
	std::vector<double> u_, f_;
};

class Hierarchy {
public:
	Hierarchy(const Machine &m, int cells, std::unique_ptr<Smoother> s) : machine_(m), smoother_(std::move(s)) // slice
	{
		int active = m.size, depth = 0; // slice
		levels_.emplace_back(new Level(depth, 1, active, cells)); // slice
		while (active > 1) { // slice
			const Level &fine = *levels_.back(); // slice
			active = (fine.active() + 1) / 2; // slice
			int stride = 2 * fine.stride(); // slice
			depth++; // slice
			levels_.emplace_back(new Level(depth, stride, fine.active(), cells >> depth)); // root
			if (stride > m.size) // slice
				break;
		}
	}
	void cycle()
	{
		for (auto &level : levels_) { // slice
			if (!level->holds(machine_.rank)) // slice
				return;
			smoother_->smooth(level->solution(), level->rhs());
			gather(*level); // slice
		}
	}
	double norm() const
	{
		double sum = 0;
		for (const auto &level : levels_)
			for (double u : level->solution())
				sum += u * u;
		return std::sqrt(sum);
	}

private:
	void gather(Level &level)
	{
		MPI_Status st;
		double value = 0;
		for (int child : level.children(machine_.rank)) { // slice
			MPI_Recv(&value, 1, MPI_DOUBLE, child, level.tag(), MPI_COMM_WORLD, &st); // stop
			level.solution()[0] += value;
		}
		int up = level.parent(machine_.rank);
		if (up != machine_.rank)
			MPI_Send(level.solution().data(), 1, MPI_DOUBLE, up, level.tag(), MPI_COMM_WORLD);
	}
	Machine machine_;
	std::unique_ptr<Smoother> smoother_;
	std::vector<std::unique_ptr<Level>> levels_;
};

int main(int argc, char **argv)
{
	Machine m;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &m.size); // slice
	Hierarchy h(m, 64, std::unique_ptr<Smoother>(new Jacobi(0.4))); // slice
	h.cycle(); // slice
	std::printf("%g\n", h.norm());
	MPI_Finalize();
	return 0;
}
