// tune: rank=3 size=4 stop=MPI_Ssend:3
// A schedule of exchanges is written as expressions in the rank: they are tokenised, turned round
// and computed with a stack; the remainder binds as weakly there as the sum.
#include <mpi.h>
#include <cctype>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace expr {

struct Number {
	int value;
};
struct Name {
	std::string text;
};
struct Operator {
	char sign;
};
using Token = std::variant<Number, Name, Operator>;

class Tokeniser {
public:
	explicit Tokeniser(const std::string &text) : text_(text) {} // slice
	std::vector<Token> all()
	{
		std::vector<Token> tokens; // slice
		while (skip()) { // slice
			const char c = text_[at_]; // slice
			if (std::isdigit(static_cast<unsigned char>(c))) // slice
				tokens.push_back(Number{std::stoi(take(::isdigit))}); // slice
			else if (std::isalpha(static_cast<unsigned char>(c))) // slice
				tokens.push_back(Name{take(::isalpha)}); // slice
			else
				tokens.push_back(Operator{text_[at_++]}); // slice
		}
		return tokens; // slice
	}

private:
	bool skip()
	{
		while (at_ < text_.size() && text_[at_] == ' ') // slice
			at_++; // slice
		return at_ < text_.size(); // slice
	}
	std::string take(int (*kind)(int))
	{
		const std::size_t from = at_; // slice
		while (at_ < text_.size() && kind(static_cast<unsigned char>(text_[at_]))) // slice
			at_++; // slice
		return text_.substr(from, at_ - from); // slice
	}
	const std::string &text_;
	std::size_t at_ = 0; // slice
};

int binding(char sign)
{
	if (sign == '*' || sign == '/') // slice
		return 2; // slice
	if (sign == '%') // slice
		return 1; // root
	if (sign == '+' || sign == '-') // slice
		return 1; // slice
	return 0; // slice
}

// What is known by name while an expression is computed.
using Scope = std::map<std::string, int>;

class Machine {
public:
	explicit Machine(const Scope &scope) : scope_(scope) {} // slice
	int compute(const std::vector<Token> &tokens)
	{
		for (const Token &t : tokens) // slice
			std::visit(*this, t); // slice
		while (!signs_.empty()) // slice
			apply(); // slice
		return values_.back(); // slice
	}
	void operator()(const Number &n) { values_.push_back(n.value); } // slice
	void operator()(const Name &n) { values_.push_back(scope_.at(n.text)); } // slice
	void operator()(const Operator &o)
	{
		if (o.sign == '(') { // slice
			signs_.push_back(o.sign); // slice
			return;
		}
		const int weight = o.sign == ')' ? 1 : binding(o.sign); // slice
		while (!signs_.empty() && signs_.back() != '(' && binding(signs_.back()) >= weight) // slice
			apply(); // slice
		if (o.sign == ')') // slice
			signs_.pop_back(); // slice
		else
			signs_.push_back(o.sign); // slice
	}

private:
	void apply()
	{
		const int right = values_.back(); // slice
		values_.pop_back(); // slice
		int &left = values_.back(); // slice
		switch (signs_.back()) { // slice
		case '+':
			left += right; // slice
			break;
		case '-':
			left -= right; // slice
			break;
		case '*':
			left *= right; // slice
			break;
		case '/':
			left /= right; // slice
			break;
		case '%':
			left %= right; // slice
			break;
		default:
			throw std::runtime_error("sign");
		}
		signs_.pop_back(); // slice
	}
	const Scope &scope_;
	std::vector<int> values_;
	std::vector<char> signs_;
};

int evaluate(const std::string &text, const Scope &scope)
{
	Tokeniser tokeniser(text); // slice
	Machine machine(scope); // slice
	return machine.compute(tokeniser.all()); // slice
}

} // namespace expr

struct Step {
	const char *name;
	const char *peer;
	const char *first;
};

static const Step schedule[] = {
	{"halves", "rank + size / 2 - size * (rank / (size / 2))", "1 - rank / (size / 2)"},
	{"mirror", "size - 1 - rank", "rank / (size / 2)"},
	{"pairs", "rank + 1 - rank % 2 * 2", "rank - rank / 2 * 2"},
	{"across", "(rank + size / 2) % size", "1 - rank / (size / 2)"},
};

int main(int argc, char **argv)
{
	int rank, size, lane = 0; // slice
	double mine = 1.0, sum = 0.0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const expr::Scope scope = {{"rank", rank}, {"size", size}}; // slice
	try {
		for (const Step &s : schedule) { // slice
			double other = 0.0;
			const int peer = expr::evaluate(s.peer, scope); // slice
			const int tag = 10 + lane++; // slice
			if (expr::evaluate(s.first, scope)) { // slice
				MPI_Ssend(&mine, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD); // stop
				MPI_Recv(&other, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			} else {
				MPI_Recv(&other, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				MPI_Ssend(&mine, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD);
			}
			sum += other;
			mine += 0.5 * other;
			if (rank == 0)
				std::printf("after %s: %g\n", s.name, sum);
		}
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%d: %s\n", rank, e.what());
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Finalize();
	return 0;
}
