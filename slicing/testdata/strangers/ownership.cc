// tune: rank=2 size=4 stop=MPI_Wait:1
// A sparse matrix finds the owners of its columns in the ranges of the rows: the first
// row of a range is looked up with the bound that belongs to the range before.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

class Ranges {
public:
	Ranges(int rows, int size)
	{
		int base = rows / size, rest = rows % size; // slice
		first_.push_back(0); // slice
		for (int r = 0; r < size; r++) // slice
			first_.push_back(first_.back() + base + (r < rest ? 1 : 0)); // slice
	}
	int begin(int rank) const { return first_[rank]; } // slice
	int end(int rank) const { return first_[rank + 1]; } // slice
	int owner(int row) const
	{
		auto at = std::lower_bound(first_.begin() + 1, first_.end(), row); // root
		return static_cast<int>(at - first_.begin()) - 1; // slice
	}

private:
	std::vector<int> first_;
};

struct Csr {
	std::vector<int> start, column;
	std::vector<double> value;
	int rows() const { return static_cast<int>(start.size()) - 1; } // slice
};

static Csr laplace(const Ranges &ranges, int rank, int n, int skip)
{
	Csr a; // slice
	a.start.push_back(0); // slice
	for (int row = ranges.begin(rank); row < ranges.end(rank); row++) { // slice
		for (int c : {row - skip, row - 1, row, row + 1}) // slice
			if (c >= 0 && c < n) { // slice
				a.column.push_back(c); // slice
				a.value.push_back(c == row ? 3 : -1);
			}
		a.start.push_back(static_cast<int>(a.column.size())); // slice
	}
	return a; // slice
}

class Importer {
public:
	Importer(const Csr &a, const Ranges &ranges, int rank) : rank_(rank) // slice
	{
		std::set<int> wanted; // slice
		for (int i = 0; i < a.rows(); i++) // slice
			for (int k = a.start[i]; k < a.start[i + 1]; k++) // slice
				if (a.column[k] < ranges.begin(rank) || a.column[k] >= ranges.end(rank)) // slice
					wanted.insert(a.column[k]); // slice
		for (std::set<int>::const_iterator w = wanted.begin(); w != wanted.end(); ++w) { // slice
			local_[*w] = static_cast<int>(local_.size());
			sources_[ranges.owner(*w)].push_back(*w); // slice
		}
		ghost_.resize(wanted.size());
	}
	void pull()
	{
		int at = 0;
		for (const auto &s : sources_) { // slice
			if (s.first == rank_) // slice
				continue;
			at += receive(s.first, s.second, at); // slice
		}
		MPI_Status st;
		for (MPI_Request &r : requests_) // slice
			MPI_Wait(&r, &st); // stop
	}
	double ghost(int column) const
	{
		auto it = local_.find(column);
		return it == local_.end() ? 0 : ghost_[it->second];
	}

private:
	int receive(int from, const std::vector<int> &columns, int at)
	{
		int n = static_cast<int>(columns.size()); // slice
		MPI_Request request;
		MPI_Irecv(ghost_.data() + at, n, MPI_DOUBLE, from, 80 + n, MPI_COMM_WORLD, &request); // slice
		requests_.push_back(request); // slice
		return n;
	}
	int rank_;
	std::unordered_map<int, int> local_;
	std::map<int, std::vector<int>> sources_;
	std::vector<double> ghost_;
	std::vector<MPI_Request> requests_;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const int n = 18; // slice
	Ranges ranges(n, size); // slice
	Csr a = laplace(ranges, rank, n, 5); // slice
	Importer importer(a, ranges, rank); // slice
	importer.pull(); // slice
	double sum = 0;
	for (std::size_t k = 0; k < a.column.size(); k++)
		sum += a.value[k] * importer.ghost(a.column[k]);
	std::printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
