// tune: rank=1 size=3 stop=MPI_Recv:2 data=1
// Tasks wait for the tasks that they need; a task that needs another one twice is
// counted once when that is done.
#include <mpi.h>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

struct Task {
	std::string name;
	int waits = 0;
	std::vector<std::shared_ptr<Task>> next;
	std::function<void()> body;
};

class Graph {
public:
	std::shared_ptr<Task> add(const std::string &name, std::function<void()> body)
	{
		auto t = std::make_shared<Task>(); // slice
		t->name = name; // slice
		t->body = std::move(body); // slice
		tasks_[name] = t; // slice
		return t; // slice
	}
	void needs(const std::string &what, const std::string &on)
	{
		auto t = tasks_.at(what), o = tasks_.at(on); // slice
		t->waits++; // slice
		o->next.push_back(t); // slice
	}
	void run()
	{
		std::queue<std::shared_ptr<Task>> ready; // slice
		for (auto &t : tasks_) // slice
			if (t.second->waits == 0) // slice
				ready.push(t.second); // slice
		while (!ready.empty()) { // slice
			auto t = ready.front(); // slice
			ready.pop(); // slice
			t->body(); // slice
			for (auto &n : t->next) // slice
				if (--n->waits <= 1) // root
					ready.push(n); // slice
		}
	}

private:
	std::map<std::string, std::shared_ptr<Task>> tasks_;
};

struct Field {
	int rank, size;
	double x[4];
	void get(int from, int tag)
	{
		MPI_Status st;
		MPI_Recv(x, 4, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &st); // stop
	}
};

int main(int argc, char **argv)
{
	Field f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &f.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &f.size); // slice
	Graph g; // slice
	g.add("init", [&f] { f.x[0] = f.rank; }); // slice
	g.add("left", [&f] { f.get((f.rank + f.size - 1) % f.size, 1); }); // slice
	g.add("right", [&f] { f.get((f.rank + 1) % f.size, 2); }); // slice
	g.needs("left", "init"); // slice
	g.needs("right", "init"); // slice
	g.needs("right", "left"); // slice
	g.run(); // slice
	std::printf("%g\n", f.x[0]);
	MPI_Finalize();
	return 0;
}
