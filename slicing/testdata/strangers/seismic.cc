// report: rank=0 size=3 stop=MPI_Recv:13
// The first rank of a seismic survey collects the windows of all traces: what is muted at
// their start is given in milliseconds, and the planner takes it off as if these were samples.
#include <mpi.h>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Survey {
	int lengthMs, dtUs, muteMs;
	int window, lines, shots;
};

// ---- the text with the settings ----
class SurveyReader {
public:
	SurveyReader() : fields_() // slice
	{
		fields_["length"] = &Survey::lengthMs; // slice
		fields_["dt"] = &Survey::dtUs; // slice
		fields_["mute"] = &Survey::muteMs; // slice
		fields_["window"] = &Survey::window; // slice
		fields_["lines"] = &Survey::lines; // slice
		fields_["shots"] = &Survey::shots; // slice
	}
	Survey read(const std::string &text) const
	{
		Survey s{1000, 1000, 0, 100, 1, 1}; // slice
		std::istringstream in(text); // slice
		std::string item; // slice
		while (std::getline(in, item, ';')) { // slice
			const auto eq = item.find('='); // slice
			if (eq == std::string::npos) // slice
				continue;
			const auto f = fields_.find(item.substr(0, eq)); // slice
			if (f == fields_.end()) // slice
				continue;
			s.*(f->second) = std::stoi(item.substr(eq + 1)); // slice
		}
		return s; // slice
	}

private:
	std::map<std::string, int Survey::*> fields_;
};

// ---- who records a line, and how much of it there is ----
class Planner {
public:
	Planner(const Survey &s, int size) : survey_(s), recorders_(size - 1) {} // slice
	int recorder(int line) const { return 1 + line % recorders_; } // slice
	int windows() const
	{
		const int samples = survey_.lengthMs * 1000 / survey_.dtUs; // slice
		const int live = samples - survey_.muteMs; // root
		return (live + survey_.window - 1) / survey_.window; // slice
	}

private:
	Survey survey_;
	int recorders_;
};

class Recorder {
public:
	Recorder(const Survey &s, int rank) : survey_(s), rank_(rank) {}
	void record(int line) const
	{
		const int perMs = 1000 / survey_.dtUs;
		std::vector<float> trace(survey_.window);
		for (int at = survey_.muteMs * perMs; at < survey_.lengthMs * perMs; at += survey_.window) {
			for (int i = 0; i < survey_.window; i++)
				trace[i] = static_cast<float>((at + i) % 17) / (1 + line);
			MPI_Send(trace.data(), survey_.window, MPI_FLOAT, 0, 500 + line, MPI_COMM_WORLD);
		}
		if (survey_.shots > 9)
			std::printf("%d: line %d recorded\n", rank_, line);
	}

private:
	Survey survey_;
	int rank_;
};

// ---- the collector ----
class Stack {
public:
	explicit Stack(int window) : sum_(window), part_(window) {} // slice
	void add(int from, int line)
	{
		MPI_Status st;
		const int n = static_cast<int>(part_.size()); // slice
		MPI_Recv(part_.data(), n, MPI_FLOAT, from, 500 + line, MPI_COMM_WORLD, &st); // stop
		for (int i = 0; i < n; i++)
			sum_[i] += part_[i];
		folds_++;
	}
	double energy() const
	{
		double e = 0;
		for (float v : sum_)
			e += v * v;
		return folds_ ? e / folds_ : 0;
	}

private:
	std::vector<float> sum_, part_;
	int folds_ = 0;
};

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	const SurveyReader reader; // slice
	const Survey survey = reader.read("length=400;dt=500;mute=40;vessel;window=60;lines=4;shots=3"); // slice
	const Planner plan(survey, size); // slice
	if (rank == 0) { // slice
		Stack stack(survey.window); // slice
		for (int line = 0; line < survey.lines; line++) // slice
			for (int w = 0; w < plan.windows(); w++) // slice
				stack.add(plan.recorder(line), line); // slice
		std::printf("energy %g\n", stack.energy());
	} else {
		const Recorder recorder(survey, rank);
		for (int line = 0; line < survey.lines; line++)
			if (plan.recorder(line) == rank)
				recorder.record(line);
	}
	MPI_Finalize();
	return 0;
}
