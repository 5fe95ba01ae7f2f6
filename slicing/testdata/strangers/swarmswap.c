// tune: rank=1 size=2 stop=MPI_Recv:3 data=2 peer=0:MPI_Send:1
// Particles are pushed from one buffer into the other, which are then swapped. The
// sender announces how many leave from the buffer before the push.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MAXP 64
#define PULL 0.3
#define TAG_COUNT 81
#define TAG_PART 82

struct swarm {
	int n;
	double x[MAXP], v[MAXP];
	int id[MAXP];
};

struct slab {
	double lo, hi;
	int rank, right, left, out;
	struct swarm a, b;
	struct swarm *now, *next;
};

static void slab_init(struct slab *s, int rank, int size)
{
	s->lo = rank; // slice
	s->hi = rank + 1.0; // slice
	s->rank = rank;
	s->left = rank - 1; // slice
	s->right = rank + 1 < size ? rank + 1 : -1; // slice
	s->now = &s->a; // slice
	s->next = &s->b; // slice
	s->a.n = rank == 0 ? 12 : 4; // slice
	for (int i = 0; i < s->a.n; i++) { // slice
		s->a.x[i] = s->lo + (i + 0.5) / s->a.n; // slice
		s->a.v[i] = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 0.45 : 0.55; // slice
		s->a.id[i] = 1000 * rank + i;
	}
}

static void push(const struct swarm *from, struct swarm *to, double dt)
{
	to->n = from->n; // slice
	for (int i = 0; i < from->n; i++) { // slice
		to->v[i] = from->v[i] - PULL * dt; // slice
		to->x[i] = from->x[i] + dt * to->v[i]; // slice
		to->id[i] = from->id[i];
	}
}

static void swap(struct slab *s)
{
	struct swarm *t = s->now; // slice
	s->now = s->next; // slice
	s->next = t; // slice
}

static int leaving(const struct swarm *p, double hi)
{
	int n = 0; // slice
	for (int i = 0; i < p->n; i++) // slice
		if (p->x[i] >= hi) // slice
			n++; // slice
	return n; // slice
}

static void announce(const struct slab *s, int n)
{
	MPI_Send(&n, 1, MPI_INT, s->right, TAG_COUNT, MPI_COMM_WORLD); // slice
}

/* hand_over sends all that are beyond the end, and closes the gaps. */
static int hand_over(struct slab *s)
{
	struct swarm *p = s->now;
	int kept = 0, gone = 0;
	for (int i = 0; i < p->n; i++) {
		if (p->x[i] >= s->hi) {
			double out[2] = {p->x[i], p->v[i]};
			MPI_Send(out, 2, MPI_DOUBLE, s->right, TAG_PART, MPI_COMM_WORLD);
			gone++;
			continue;
		}
		p->x[kept] = p->x[i];
		p->v[kept] = p->v[i];
		p->id[kept++] = p->id[i];
	}
	p->n = kept;
	return gone;
}

static void take_over(struct slab *s)
{
	MPI_Status st;
	double in[2];
	int n = 0;
	MPI_Recv(&n, 1, MPI_INT, s->left, TAG_COUNT, MPI_COMM_WORLD, &st); // slice
	for (int i = 0; i < n; i++) { // slice
		MPI_Recv(in, 2, MPI_DOUBLE, s->left, TAG_PART, MPI_COMM_WORLD, &st); // stop
		if (s->now->n < MAXP) {
			s->now->x[s->now->n] = in[0];
			s->now->v[s->now->n] = in[1];
			s->now->id[s->now->n++] = -1;
		}
	}
}

static void advance(struct slab *s, double dt)
{
	push(s->now, s->next, dt); // slice
	s->out = leaving(s->now, s->hi); // root
	swap(s); // slice
}

static void migrate(struct slab *s)
{
	if (s->right >= 0) { // slice
		announce(s, s->out); // slice
		s->out -= hand_over(s);
	}
	if (s->left >= 0) // slice
		take_over(s); // slice
}

int main(int argc, char **argv)
{
	static struct slab slab;
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	slab_init(&slab, rank, size); // slice
	for (int step = 0; step < 2; step++) // slice
		advance(&slab, 1.0); // slice
	migrate(&slab); // slice
	double far = 0;
	for (int i = 0; i < slab.now->n; i++)
		far = slab.now->x[i] > far ? slab.now->x[i] : far;
	printf("%d: %d particles up to %g, %d amiss\n", rank, slab.now->n, far, slab.out);
	MPI_Finalize();
	return 0;
}
