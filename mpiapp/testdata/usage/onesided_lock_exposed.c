/* usage: class=one_sided ranks=2 may-hang
 * To read what came, a rank locks its own memory while it is exposed to the other. In the twin
 * MPI_Win_wait comes first. */
#include <mpi.h>
#include <string.h>

static int look(MPI_Win win, int rank, const int *shelf)
{
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win); /* ERROR */
	int seen = *shelf;
	MPI_Win_unlock(rank, win);
	return seen;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, *shelf, seen = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int other = 1 - rank;
	MPI_Win win;
	MPI_Group all, peer;
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shelf, &win);
	MPI_Win_get_group(win, &all);
	MPI_Group_incl(all, 1, &other, &peer);
	*shelf = -1;
	if (rank == 0) {
		MPI_Win_post(peer, 0, win); /* ERROR */
		if (faulty)
			seen = look(win, rank, shelf);
		MPI_Win_wait(win);
		if (!faulty)
			seen = look(win, rank, shelf);
	} else {
		MPI_Win_start(peer, 0, win);
		MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&peer);
	MPI_Group_free(&all);
	MPI_Win_free(&win);
	MPI_Finalize();
	return rank == 0 && !faulty && seen != 1;
}
