// tune: rank=4 size=9 stop=MPI_Recv:8 data=2 peer=3:MPI_Send:1
// A sweep over octants: the direction in y is taken from the wrong bit, and the
// rank waits for the wrong side.
#include <mpi.h>
#include <stdio.h>

enum { DIMS = 2, ANGLES = 6, NEAR = 0, FAR = 1 };

struct sweep {
	int octant;
	double inflow[DIMS][ANGLES];
	int density[DIMS];
	int upwind[DIMS];
	int delay[DIMS];
	int downwind[DIMS];
	double psi[ANGLES];
	int side[DIMS][2];
};

static void sides(struct sweep *s, int rank, int n)
{
	int i = rank % n, j = rank / n; // slice
	s->side[0][NEAR] = i > 0 ? rank - 1 : -1; // slice
	s->side[0][FAR] = i < n - 1 ? rank + 1 : -1; // slice
	s->side[1][NEAR] = j > 0 ? rank - n : -1; // slice
	s->side[1][FAR] = j < n - 1 ? rank + n : -1; // slice
}

static void aim(struct sweep *s, int octant)
{
	int i;
	s->octant = octant; // slice
	for (i = 0; i < DIMS; i++) { // slice
		int positive = octant >> (2 * i) & 1; // root
		s->upwind[i] = s->side[i][positive ? NEAR : FAR]; // slice
		s->downwind[i] = s->side[i][positive ? FAR : NEAR];
	}
}

static void start(struct sweep *s)
{
	int i;
	for (i = 0; i < ANGLES; i++)
		s->psi[i] = 1.0 / (i + 1);
	for (i = 0; i < DIMS; i++)
		s->delay[i] = i;
}

/* Densities come from the ranks to the left and above, whatever the octant. */
static void densities(struct sweep *s, int rank, int n)
{
	MPI_Status st;
	int i, mine = 10 + rank;
	for (i = 0; i < DIMS; i++) {
		if (s->side[i][NEAR] >= 0)
			MPI_Recv(&s->density[i], 1, MPI_INT, s->side[i][NEAR], 1, MPI_COMM_WORLD, &st);
		if (s->side[i][FAR] >= 0)
			MPI_Send(&mine, 1, MPI_INT, rank + (i ? n : 1), 1, MPI_COMM_WORLD);
	}
}

static void inflows(struct sweep *s)
{
	MPI_Status st;
	int i, n;
	for (i = 0; i < DIMS; i++) { // slice
		int from = s->upwind[i]; // slice
		if (from < 0) { // slice
			for (n = 0; n < ANGLES; n++)
				s->inflow[i][n] = 0;
			continue;
		}
		MPI_Recv(s->inflow[i], ANGLES, MPI_DOUBLE, from, s->octant, MPI_COMM_WORLD, &st); // stop
	}
}

static double solve(struct sweep *s)
{
	int i, n;
	double tmp = 0;
	for (n = 0; n < ANGLES; n++) {
		for (i = 0; i < DIMS; i++)
			s->psi[n] += s->inflow[i][n] / s->density[i];
		tmp += s->psi[n];
	}
	return tmp;
}

int main(int argc, char **argv)
{
	int rank, size, n = 1; // slice
	double tmp = 0;
	struct sweep s;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	while (n * n < size) // slice
		n++; // slice
	start(&s);
	sides(&s, rank, n); // slice
	densities(&s, rank, n);
	for (int octant = 0; octant < 4; octant++) { // slice
		aim(&s, octant); // slice
		inflows(&s); // slice
		tmp += solve(&s);
		for (int i = 0; i < DIMS; i++)
			if (s.downwind[i] >= 0)
				MPI_Send(s.psi, ANGLES, MPI_DOUBLE, s.downwind[i], s.octant, MPI_COMM_WORLD);
	}
	printf("%g %d\n", tmp, s.delay[1]);
	MPI_Finalize();
	return 0;
}
