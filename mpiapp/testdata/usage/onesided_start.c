/* usage: class=one_sided ranks=3
 * Access by start and complete goes to a rank that is not in the group. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int shelf[3] = {0}, target = faulty ? 2 : 1, first = 0, second = 1;
	MPI_Group world, to, from;
	MPI_Win win;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &second, &to);
	MPI_Group_incl(world, 1, &first, &from);
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0) {
		MPI_Win_start(to, 0, win);
		MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* ERROR */
		MPI_Win_complete(win);
	} else if (rank == 1) {
		MPI_Win_post(from, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&world);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
