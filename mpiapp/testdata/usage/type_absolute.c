/* usage: class=type_mismatch ranks=2
 * Two variables are sent by their addresses from MPI_BOTTOM and received as two
 * doubles; the twin receives them as they are. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int n = 7, ones[2] = {1, 1};
	double x = 1.5, in[2];
	MPI_Aint at[2];
	MPI_Datatype members[2] = {MPI_DOUBLE, MPI_INT}, both;
	MPI_Get_address(&x, &at[0]);
	MPI_Get_address(&n, &at[1]);
	MPI_Type_create_struct(2, ones, at, members, &both);
	MPI_Type_commit(&both);
	if (rank == 0)
		MPI_Send(MPI_BOTTOM, 1, both, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else if (faulty)
		MPI_Recv(in, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	else
		MPI_Recv(MPI_BOTTOM, 1, both, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&both);
	MPI_Finalize();
	return 0;
}
