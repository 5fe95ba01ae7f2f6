// report: rank=2 size=3 stop=MPI_Allreduce:5
// Orders are booked in rounds, all ranks having as many: an order that fails is tried again if
// the account has a credit, but one without any counts too, and its rank asks for another round.
#include <mpi.h>
#include <array>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Account {
	long balance;
	long credit;
	int booked;
};

struct Order {
	std::string from, to;
	long amount;
	int tries;
};

class Overdraft : public std::runtime_error {
public:
	Overdraft(const std::string &name, long credit) : std::runtime_error("overdraft of " + name), credit_(credit) {} // slice
	long credit() const { return credit_; } // slice

private:
	long credit_;
};

// ---- a change that is undone unless it is kept ----
class Change {
public:
	explicit Change(Account &a) : account_(a), before_(a.balance), kept_(false) {} // slice
	~Change()
	{
		if (!kept_) // slice
			account_.balance = before_; // slice
	}
	void keep() { kept_ = true; } // slice

private:
	Account &account_;
	long before_;
	bool kept_;
};

// ---- the accounts of a rank ----
class Ledger {
public:
	void open(const std::string &name, long balance, long credit)
	{
		accounts_[name] = Account{balance, credit, 0}; // slice
	}
	void book(const Order &o)
	{
		Account &from = accounts_.at(o.from); // slice
		Account &to = accounts_.at(o.to); // slice
		Change out(from); // slice
		Change in(to); // slice
		to.balance += o.amount; // slice
		from.balance -= o.amount; // slice
		if (from.balance < 0) // slice
			throw Overdraft(o.from, from.credit); // slice
		out.keep(); // slice
		in.keep(); // slice
		from.booked++;
	}
	long sum() const
	{
		long s = 0;
		for (const auto &a : accounts_)
			s += a.second.balance;
		return s;
	}

private:
	std::unordered_map<std::string, Account> accounts_;
};

// ---- rounds: one order of the queue each ----
class Clearing {
public:
	Clearing(Ledger &ledger, MPI_Comm comm) : ledger_(ledger), comm_(comm) {} // slice
	void submit(Order o) { queue_.push_back(std::move(o)); } // slice
	int run()
	{
		int rounds = 0;
		while (!queue_.empty()) { // slice
			step(); // slice
			settle(); // slice
			rounds++;
		}
		return rounds;
	}

private:
	void step()
	{
		Order o = std::move(queue_.front()); // slice
		queue_.pop_front(); // slice
		try {
			ledger_.book(o); // slice
		} catch (const Overdraft &e) { // slice
			if (o.tries == 0 && e.credit() >= 0) { // root
				o.tries++; // slice
				queue_.push_back(std::move(o)); // slice
			}
		}
	}
	void settle()
	{
		long mine = ledger_.sum();
		MPI_Allreduce(&mine, &total_, 1, MPI_LONG, MPI_SUM, comm_); // stop
	}

	Ledger &ledger_;
	MPI_Comm comm_;
	std::deque<Order> queue_;
	long total_ = 0;
};

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	Ledger ledger; // slice
	const std::array<const char *, 3> names{"rent", "food", "fuel"}; // slice
	for (std::size_t i = 0; i < names.size(); i++) // slice
		ledger.open(names[i], 90 - 20 * rank, i == 1 ? 50 : 0); // slice
	Clearing clearing(ledger, MPI_COMM_WORLD); // slice
	clearing.submit({"rent", "food", 30, 0}); // slice
	clearing.submit({"rent", "fuel", 25, 0}); // slice
	clearing.submit({"food", "rent", 40, 0}); // slice
	clearing.submit({"fuel", "food", 65, 0}); // slice
	const int rounds = clearing.run(); // slice
	std::printf("%d: %d rounds, %ld\n", rank, rounds, ledger.sum());
	MPI_Finalize();
	return 0;
}
