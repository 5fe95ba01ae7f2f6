/* usage: class=truncation ranks=3
 * Messages grow with the rank, and everybody makes room for its own size only. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out[3] = {0}, in[3], right = (rank + 1) % size, left = (rank + size - 1) % size;
	int room = faulty ? rank + 1 : left + 1;
	MPI_Sendrecv(out, rank + 1, MPI_INT, right, 0, in, room, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Finalize();
	return 0;
}
