// tune: rank=1 size=3 stop=MPI_Recv:4
// Five layers hand their codes up, each in its own words; the lowest knows the
// end from a number of blocks that the highest rounds up when it need not.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 16, FIELD = 48 };

/* wire */
enum wire_code { WIRE_OK, WIRE_LAST, WIRE_BAD };
struct wire {
	int source, tag, left;
};

static void wire_open(struct wire *w, int source, int channel, int blocks)
{
	w->source = source; // slice
	w->tag = 600 + channel; // slice
	w->left = blocks; // slice
}

static enum wire_code wire_read(struct wire *w, double *to)
{
	MPI_Status st;
	if (MPI_Recv(to, BLOCK, MPI_DOUBLE, w->source, w->tag, MPI_COMM_WORLD, &st) != MPI_SUCCESS) // stop
		return WIRE_BAD; // slice
	return --w->left > 0 ? WIRE_OK : WIRE_LAST; // slice
}

/* frame */
enum frame_code { FRAME_ERROR = -1, FRAME_END = 0, FRAME_MORE = 1 };
struct frame {
	struct wire wire;
	double sum;
	double data[BLOCK];
};

static enum frame_code frame_next(struct frame *f)
{
	enum wire_code rc = wire_read(&f->wire, f->data); // slice
	for (int i = 0; i < BLOCK; i++)
		f->sum += f->data[i];
	switch (rc) { // slice
	case WIRE_OK:
		return FRAME_MORE; // slice
	case WIRE_LAST:
		return FRAME_END; // slice
	default:
		return FRAME_ERROR; // slice
	}
}

/* link: tries again a few times */
#define LINK_DATA 100
#define LINK_DONE 101
#define LINK_AGAIN 102
#define LINK_DOWN 103
struct link {
	struct frame frame;
	int tries;
	double *dest;
};

static int link_pull(struct link *l)
{
	enum frame_code rc = frame_next(&l->frame); // slice
	if (rc == FRAME_ERROR) // slice
		return ++l->tries < 3 ? LINK_AGAIN : LINK_DOWN; // slice
	l->tries = 0; // slice
	memcpy(l->dest, l->frame.data, sizeof l->frame.data);
	l->dest += BLOCK;
	return rc == FRAME_MORE ? LINK_DATA : LINK_DONE; // slice
}

/* session */
enum state { CLOSED, OPENING, TRANSFER, FAILED };
struct session {
	enum state state;
	struct link link;
	int pulled;
};

/* session_step returns whether there is more to do. */
static int session_step(struct session *s)
{
	switch (s->state) { // slice
	case OPENING:
		s->link.tries = 0; // slice
		s->link.frame.sum = 0;
		s->state = TRANSFER; // slice
		return 1; // slice
	case TRANSFER:
		switch (link_pull(&s->link)) { // slice
		case LINK_DONE:
			s->state = CLOSED; // slice
			return 0; // slice
		case LINK_DOWN:
			s->state = FAILED; // slice
			return 0; // slice
		case LINK_DATA:
			s->pulled++;
		}
		return 1; // slice
	default:
		return 0; // slice
	}
}

/* job */
static int blocks_of(int values)
{
	return values / BLOCK + 1; // root
}

static int job_fetch(int from, int channel, double *field)
{
	struct session s = {OPENING, {.dest = field}, 0}; // slice
	wire_open(&s.link.frame.wire, from, channel, blocks_of(FIELD)); // slice
	while (session_step(&s)) // slice
		;
	if (s.state == FAILED)
		return -1;
	return s.pulled;
}

static void job_serve(const double *field, int size)
{
	for (int to = 1; to < size; to++)
		for (int at = 0; at < FIELD; at += BLOCK)
			MPI_Send(field + at, BLOCK, MPI_DOUBLE, to, 600 + to % 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	static double field[FIELD + BLOCK];
	int rank, size, got = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < FIELD; i++)
		field[i] = rank * 100 + i;
	if (rank == 0) // slice
		job_serve(field, size);
	else
		got = job_fetch(0, rank % 2, field); // slice
	printf("%d: %d blocks, %g\n", rank, got, field[FIELD - 1]);
	MPI_Finalize();
	return got < 0;
}
