// report: rank=1 size=3 stop=MPI_Barrier:5
// The ranks interpret a job script with blocks that only one of them enters: a name that is
// bound in a block lands in the outermost scope, and the rank goes on to repeat more often.
#include <mpi.h>
#include <cctype>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

static const char kScript[] =
    "let rounds 4 ; let frames 2 ; say hello\n"
    "only 1 { let rounds 6 ; repeat frames { write rounds } }\n"
    "only 2 { repeat rounds { write frames } }\n"
    "repeat rounds { sync }\n"
    "say bye\n";

// ---- words ----
class Tokens {
public:
	explicit Tokens(const std::string &text) : words_(), at_(0) // slice
	{
		std::string word; // slice
		for (char c : text) { // slice
			if (!std::isspace(static_cast<unsigned char>(c))) { // slice
				word += c; // slice
				continue;
			}
			if (!word.empty() && word != ";") // slice
				words_.push_back(word); // slice
			word.clear(); // slice
		}
	}
	bool more() const { return at_ < words_.size(); } // slice
	const std::string &next() { return words_[at_++]; } // slice
	std::size_t mark() const { return at_; } // slice
	void seek(std::size_t at) { at_ = at; } // slice
	void skipBlock()
	{
		int depth = 0; // slice
		do {
			const std::string &w = next(); // slice
			if (w == "{") // slice
				depth++; // slice
			else if (w == "}") // slice
				depth--; // slice
		} while (depth > 0); // slice
	}

private:
	std::vector<std::string> words_;
	std::size_t at_;
};

// ---- names ----
class Names {
public:
	Names() : frames_() { push(); } // slice
	void push() { frames_.emplace_back(); } // slice
	void pop() { frames_.pop_back(); } // slice
	void bind(const std::string &name, int value)
	{
		frames_.front()[name] = value; // root
	}
	int value(const std::string &word) const
	{
		if (std::isdigit(static_cast<unsigned char>(word[0]))) // slice
			return std::stoi(word); // slice
		for (auto f = frames_.rbegin(); f != frames_.rend(); ++f) { // slice
			const auto it = f->find(word); // slice
			if (it != f->end()) // slice
				return it->second; // slice
		}
		return 0; // slice
	}

private:
	std::vector<std::map<std::string, int>> frames_;
};

// ---- the interpreter ----
class Interpreter {
public:
	Interpreter(const std::string &text, int rank) : tokens_(text), rank_(rank) // slice
	{
		verbs_["let"] = [this] { let(); }; // slice
		verbs_["only"] = [this] { only(); }; // slice
		verbs_["repeat"] = [this] { repeat(); }; // slice
		verbs_["sync"] = [] { MPI_Barrier(MPI_COMM_WORLD); }; // stop
		verbs_["write"] = [this] { written_ += names_.value(tokens_.next()); }; // slice
		verbs_["say"] = [this] { said_ += tokens_.next(); }; // slice
	}
	void run()
	{
		while (tokens_.more()) { // slice
			const std::string &verb = tokens_.next(); // slice
			if (verb == "}") // slice
				return;
			verbs_.at(verb)(); // slice
		}
	}
	int written() const { return written_; }

private:
	void block()
	{
		tokens_.next(); // slice
		names_.push(); // slice
		run(); // slice
		names_.pop(); // slice
	}
	void let()
	{
		const std::string name = tokens_.next(); // slice
		names_.bind(name, names_.value(tokens_.next())); // slice
	}
	void only()
	{
		if (names_.value(tokens_.next()) == rank_) // slice
			block(); // slice
		else
			tokens_.skipBlock(); // slice
	}
	void repeat()
	{
		const int times = names_.value(tokens_.next()); // slice
		const std::size_t start = tokens_.mark(); // slice
		for (int i = 0; i < times; i++) { // slice
			tokens_.seek(start); // slice
			block(); // slice
		}
		if (times < 1) // slice
			tokens_.skipBlock(); // slice
	}

	Tokens tokens_;
	Names names_;
	int rank_;
	int written_ = 0;
	std::string said_;
	std::map<std::string, std::function<void()>> verbs_;
};

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	Interpreter script(kScript, rank); // slice
	script.run(); // slice
	std::printf("%d: %d\n", rank, script.written());
	MPI_Finalize();
	return 0;
}
