/* usage: class=truncation ranks=2
 * A get takes more of the other's window than its own buffer is said to have room for. In the twin
 * the room is larger than what comes, and a strided one holds as much as a dense one. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, shelf[8] = {1, 2, 3, 4}, in[16];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Datatype every;
	MPI_Win win;
	MPI_Type_vector(4, 1, 2, MPI_INT, &every);
	MPI_Type_commit(&every);
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Get(in, faulty ? 3 : 5, MPI_INT, 1 - rank, 0, 1, every, win); /* ERROR */
	MPI_Get(in + 8, 1, every, 1 - rank, 0, 4, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Type_free(&every);
	MPI_Finalize();
	return 0;
}
