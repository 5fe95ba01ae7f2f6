// tune: rank=1 size=2 stop=MPI_Recv:1
// A handler is registered for the wrong event and receives what nobody sends.
#include <mpi.h>
#include <stdio.h>

typedef void (*handler)(int event, void *arg);

struct hook {
	handler call;
	void *arg;
};

static struct hook hooks[4];

static void on_log(int event, void *arg)
{
	printf("event %d %d\n", event, *(int *)arg);
}

static void on_data(int event, void *arg)
{
	int *from = arg, value; // slice
	MPI_Status st;
	MPI_Recv(&value, 1, MPI_INT, *from, event, MPI_COMM_WORLD, &st); // stop
	printf("%d\n", value);
}

static void add_hook(int event, handler call, void *arg)
{
	hooks[event].call = call; // slice
	hooks[event].arg = arg; // slice
}

static void fire(int event)
{
	struct hook *h = &hooks[event]; // slice
	if (h->call) // slice
		h->call(event, h->arg); // slice
}

int main(int argc, char **argv)
{
	int rank, seen = 0, source;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	source = 1 - rank; // slice
	add_hook(0, on_log, &seen); // slice
	add_hook(2, on_data, &source); // root
	for (int event = 0; event < 3; event++) { // slice
		seen += event;
		fire(event); // slice
	}
	MPI_Finalize();
	return 0;
}
