/* usage: class=invalid_argument ranks=2
 * A communicator is used through a copy of its handle after it was freed. The twin
 * frees it while a message on it is pending, which MPI allows. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int out = rank, in, other = 1 - rank;
	MPI_Comm comm, copy;
	MPI_Request req[2];
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	copy = comm;
	MPI_Irecv(&in, 1, MPI_INT, other, 0, copy, &req[0]);
	MPI_Isend(&out, 1, MPI_INT, other, 0, copy, &req[1]);
	if (faulty)
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	MPI_Comm_free(&comm); /* ERROR */
	if (faulty)
		MPI_Barrier(copy);
	else
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
