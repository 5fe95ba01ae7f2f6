// tune: rank=1 size=3 stop=MPI_Recv:1
// Commands of a script wait in a ring whose length is no power of two, but whose
// positions are masked as if it were: the third overwrites the first.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 6
#define NEXT(i) (((i) + 1) & (RING - 1))

enum opcode { OP_NONE, OP_PULL, OP_PUSH, OP_SCALE, OP_SYNC };

struct command {
	enum opcode op;
	int peer, tag;
	double factor;
};

struct ring {
	struct command slot[RING];
	unsigned head, tail;
	int used;
};

struct machine {
	int rank, size;
	double data[32];
	struct ring todo;
	long executed;
};

static const char *const script[] = {
	"pull -1 11 1.0",
	"scale 0 0 0.5",
	"pull 1 12 1.0",
	"push 1 13 1.0",
};

static int push(struct ring *r, const struct command *c)
{
	if (r->used == RING) // slice
		return -1; // slice
	r->slot[r->tail] = *c; // slice
	r->tail = NEXT(r->tail); // root
	r->used++; // slice
	return 0; // slice
}

static int pop(struct ring *r, struct command *c)
{
	if (r->used == 0) // slice
		return 0; // slice
	*c = r->slot[r->head]; // slice
	r->head = NEXT(r->head); // slice
	r->used--; // slice
	return 1; // slice
}

static enum opcode opcode(const char *name)
{
	if (!strcmp(name, "pull")) // slice
		return OP_PULL; // slice
	if (!strcmp(name, "push")) // slice
		return OP_PUSH; // slice
	if (!strcmp(name, "scale")) // slice
		return OP_SCALE; // slice
	return OP_NONE; // slice
}

static int parse(const char *line, struct command *c, int rank, int size)
{
	char name[16];
	int by;
	if (sscanf(line, "%15s %d %d %lf", name, &by, &c->tag, &c->factor) != 4) // slice
		return 0; // slice
	c->op = opcode(name); // slice
	c->peer = (rank + by + size) % size; // slice
	return c->op != OP_NONE; // slice
}

static void load(struct machine *m)
{
	struct command c;
	size_t n = sizeof script / sizeof *script; // slice
	for (size_t i = 0; i < n; i++) // slice
		if (parse(script[i], &c, m->rank, m->size)) // slice
			if (push(&m->todo, &c) < 0) // slice
				break;
}

static void scale(struct machine *m, double factor)
{
	for (int i = 0; i < 32; i++)
		m->data[i] *= factor;
}

static void pull(struct machine *m, const struct command *c)
{
	MPI_Status st;
	if (c->peer != m->rank) // slice
		MPI_Recv(m->data, 32, MPI_DOUBLE, c->peer, c->tag, MPI_COMM_WORLD, &st); // stop
}

static void execute(struct machine *m)
{
	struct command c;
	while (pop(&m->todo, &c)) { // slice
		switch (c.op) { // slice
		case OP_PULL:
			pull(m, &c); // slice
			break;
		case OP_PUSH:
			MPI_Send(m->data, 32, MPI_DOUBLE, c.peer, c.tag, MPI_COMM_WORLD);
			break;
		case OP_SCALE:
			scale(m, c.factor);
			break;
		default:
			break;
		}
		m->executed++;
	}
}

int main(int argc, char **argv)
{
	struct machine m;
	MPI_Init(&argc, &argv);
	memset(&m, 0, sizeof m); // slice
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &m.size); // slice
	m.data[0] = m.rank;
	load(&m); // slice
	execute(&m); // slice
	printf("%g %ld\n", m.data[0], m.executed);
	MPI_Finalize();
	return 0;
}
