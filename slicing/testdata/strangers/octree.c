// tune: rank=2 size=4 stop=MPI_Recv:2 data=1 peer=0:MPI_Send:1
// Nodes of a tree with their children in them, those of a level in a list: the
// owner of a child is taken before its parent was moved.
#include <mpi.h>
#include <stdio.h>

enum { CHILDREN = 4, NODES = 64 };
enum state { UNUSED, LEAF, SPLIT, REMOTE };

struct node {
	int level, owner;
	enum state state;
	int child[CHILDREN];
	double multipole[CHILDREN];
	int work[CHILDREN];
	struct node *next;
};

static struct node nodes[NODES];
static int used;

static int fresh(int level, int owner)
{
	int i = used++; // slice
	nodes[i].level = level; // slice
	nodes[i].owner = owner; // slice
	nodes[i].state = LEAF; // slice
	return i; // slice
}

static void split(int i, int size)
{
	struct node *p = &nodes[i]; // slice
	p->state = SPLIT; // slice
	for (int c = 0; c < CHILDREN; c++) { // slice
		p->child[c] = fresh(p->level + 1, (p->owner + c) % size); // slice
		p->multipole[c] = 1.0 / (1 + c);
	}
}

static void migrate(int i, int to)
{
	struct node *p = &nodes[i]; // slice
	p->owner = to; // slice
	for (int c = 1; c < CHILDREN; c++) // root
		if (p->state == SPLIT) // slice
			nodes[p->child[c]].owner = to; // slice
}

/* Links the nodes of a level, last first. */
static struct node *chain(int level)
{
	struct node *head = NULL; // slice
	for (int i = 0; i < used; i++) // slice
		if (nodes[i].level == level) { // slice
			nodes[i].next = head; // slice
			head = &nodes[i]; // slice
		}
	return head; // slice
}

static void works(int rank)
{
	MPI_Status st;
	int total = used;
	if (rank == 0)
		for (int r = 1; r < 4; r++)
			MPI_Send(&total, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(nodes[rank].work, CHILDREN, MPI_INT, 0, 1, MPI_COMM_WORLD, &st);
}

static double gather(int level, int rank)
{
	MPI_Status st;
	double sum = 0;
	for (struct node *p = chain(level); p; p = p->next) { // slice
		double m[CHILDREN] = {0};
		enum state s = p->owner == rank ? p->state : REMOTE; // slice
		switch (s) { // slice
		case REMOTE:
			MPI_Recv(m, CHILDREN, MPI_DOUBLE, p->owner, 10 + p->level, MPI_COMM_WORLD, &st); // stop
			break;
		case SPLIT:
			m[0] = p->multipole[1];
			break;
		default:
			break;
		}
		sum += m[0] + p->work[0];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int top = fresh(0, 0); // slice
	split(top, size); // slice
	for (int c = 0; c < CHILDREN; c++) // slice
		split(nodes[top].child[c], size); // slice
	works(rank);
	migrate(nodes[top].child[1], size - 1); // slice
	printf("%g\n", gather(2, rank)); // slice
	MPI_Finalize();
	return 0;
}
