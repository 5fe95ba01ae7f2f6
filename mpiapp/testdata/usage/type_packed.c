/* usage: class=type_mismatch ranks=2
 * Packed integers are sent as bytes; the twin sends them as MPI_PACKED, which
 * matches what was packed. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[3] = {1, 2, 3}, at = 0;
	char box[64];
	if (rank == 0) {
		MPI_Pack(values, 3, MPI_INT, box, sizeof box, &at, MPI_COMM_WORLD);
		MPI_Send(box, at, faulty ? MPI_BYTE : MPI_PACKED, 1, 0, MPI_COMM_WORLD); /* ERROR */
	} else {
		MPI_Recv(values, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	}
	MPI_Finalize();
	return 0;
}
