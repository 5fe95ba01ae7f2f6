/* usage: class=buffer_overlap ranks=3
 * Each rank draws tickets from a counter. The results of two draws that are under way go to one
 * variable; in the twin each has its own, and the increment is read by both. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, one = 1, ticket[2] = {-1, -1};
	int *counter;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win win;
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
	*counter = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	for (int i = 0; i < 2; i++)
		MPI_Fetch_and_op(&one, &ticket[faulty ? 0 : i], MPI_INT, 0, 0, MPI_SUM, win); /* ERROR */
	MPI_Win_flush(0, win);
	for (int i = 0; i < 2; i++) {
		MPI_Fetch_and_op(&one, &ticket[0], MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush_local(0, win);
	}
	MPI_Win_unlock(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return !faulty && ticket[1] < 0;
}
