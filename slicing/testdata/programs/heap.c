// tune: rank=1 size=4 stop=MPI_Recv:1
// A list of neighbours in the heap has an entry for the wrong rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
	int peer;
	int cells;
	struct link *next;
};

static struct link *push(struct link *head, int peer, int cells)
{
	struct link *l = malloc(sizeof *l); // slice
	l->peer = peer; // slice
	l->cells = cells;
	l->next = head; // slice
	return l; // slice
}

static int count(const struct link *l)
{
	int n = 0;
	for (; l; l = l->next)
		n += l->cells;
	return n;
}

int main(int argc, char **argv)
{
	int rank, size, in;
	struct link *head = NULL; // slice
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	head = push(head, (rank + 2) % size, 10); // root
	head = push(head, (rank + size - 1) % size, 10); // slice
	int cells = count(head);
	for (struct link *l = head; l; l = l->next) { // slice
		MPI_Recv(&in, 1, MPI_INT, l->peer, 1, MPI_COMM_WORLD, &st); // stop
		cells += in;
	}
	printf("%d\n", cells);
	MPI_Finalize();
	return 0;
}
