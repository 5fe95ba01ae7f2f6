/* usage: class=buffer_overlap ranks=2
 * The last column of a block is put to the neighbour, and a message is received into the block
 * before the fence: into the same column, in the twin into the one beside it. */
#include <mpi.h>
#include <string.h>

enum { ROWS = 4, COLUMNS = 3 };

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, halo[ROWS] = {0}, block[ROWS][COLUMNS] = {{0}};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int other = 1 - rank, into = COLUMNS - (faulty ? 1 : 2);
	MPI_Win win;
	MPI_Datatype column;
	MPI_Request req;
	MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Win_create(halo, sizeof halo, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&block[0][COLUMNS - 1], 1, column, other, 0, ROWS, MPI_INT, win); /* ERROR */
	MPI_Irecv(&block[0][into], 1, column, other, 0, MPI_COMM_WORLD, &req); /* ERROR */
	MPI_Send(block, 1, column, other, 0, MPI_COMM_WORLD);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
