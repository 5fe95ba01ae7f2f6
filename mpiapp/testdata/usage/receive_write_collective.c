/* usage: class=receive_buffer_write ranks=4
 * Rank 2 clears the buffer of a broadcast that is still under way, and that of a
 * sum; the twin clears both first. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	long plan[4] = {9, 9, 9, 9}, mine = rank + 1, sum = 5;
	MPI_Request req[2];
	if (!faulty)
		sum = 0;
	MPI_Ibcast(plan, 4, MPI_LONG, 0, MPI_COMM_WORLD, &req[0]); /* ERROR */
	if (faulty && rank == 2)
		memset(plan, 0, sizeof plan);
	MPI_Iallreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &req[1]); /* ERROR */
	if (faulty && rank == 2)
		sum = 0;
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE); /* ERROR */
	if (rank == 2)
		sum = 0;
	MPI_Finalize();
	return 0;
}
