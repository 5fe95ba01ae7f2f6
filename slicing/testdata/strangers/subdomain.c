// tune: rank=2 size=6 stop=MPI_Recv:5 data=3 peer=1:MPI_Send:1
// A subdomain keeps its halo, its peers and its loads side by side; the place in
// the grid of processes is computed with the wrong extent.
#include <mpi.h>
#include <stdio.h>

enum { FACES = 4, CELLS = 8, TAG_LOAD = 5, TAG_HALO = 6 };

struct subdomain {
	int extent[2], coords[2];
	double halo[FACES][CELLS];
	int load[FACES];
	int peer[FACES];
	int order[FACES];
	double cell[CELLS];
};

static void place(struct subdomain *s, int rank, int size)
{
	s->extent[0] = 2; // slice
	s->extent[1] = size / 2; // slice
	s->coords[0] = rank % s->extent[1]; // root
	s->coords[1] = rank / s->extent[0]; // slice
	for (int i = 0; i < CELLS; i++)
		s->cell[i] = rank + 0.5 * i;
}

static int wrap(int i, int n)
{
	return (i + n) % n; // slice
}

static void connect_faces(struct subdomain *s)
{
	for (int f = 0; f < FACES; f++) { // slice
		int axis = f / 2; // slice
		int to[2] = {s->coords[0], s->coords[1]}; // slice
		to[axis] = wrap(to[axis] + (f % 2 ? 1 : -1), s->extent[axis]); // slice
		s->peer[f] = to[1] * s->extent[0] + to[0]; // slice
		s->order[f] = FACES - 1 - f;
	}
}

/* Everybody tells its neighbours how much it has to do. */
static void balance(struct subdomain *s, int rank)
{
	MPI_Status st;
	int mine = 1 + rank % 3;
	for (int f = 0; f < FACES; f++)
		if (rank % 2)
			MPI_Send(&mine, 1, MPI_INT, s->peer[f], TAG_LOAD, MPI_COMM_WORLD);
		else
			MPI_Recv(&s->load[f], 1, MPI_INT, s->peer[f], TAG_LOAD, MPI_COMM_WORLD, &st);
}

static double smooth(const struct subdomain *s)
{
	double sum = 0;
	for (int f = 0; f < FACES; f++)
		for (int i = 0; i < CELLS; i++)
			sum += s->halo[f][i] * s->load[f] - s->cell[i];
	return sum;
}

static void exchange(struct subdomain *s)
{
	MPI_Status st;
	for (int f = 0; f < FACES; f++) { // slice
		double *into = s->halo[s->order[f]];
		MPI_Recv(into, CELLS, MPI_DOUBLE, s->peer[f], TAG_HALO, MPI_COMM_WORLD, &st); // stop
		MPI_Send(s->cell, CELLS, MPI_DOUBLE, s->peer[f], TAG_HALO, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	struct subdomain sub;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	place(&sub, rank, size); // slice
	connect_faces(&sub); // slice
	balance(&sub, rank);
	exchange(&sub); // slice
	printf("%g\n", smooth(&sub));
	MPI_Finalize();
	return 0;
}
