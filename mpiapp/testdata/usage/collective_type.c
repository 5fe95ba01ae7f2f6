/* usage: class=collective_mismatch ranks=3
 * One rank gathers integers where the others have floats; in the twin types differ
 * and their signatures do not. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float in[2] = {0}, out[6];
	int n[3] = {2, 2, 2}, at[3] = {4, 0, 2};
	MPI_Datatype two;
	MPI_Type_contiguous(2, MPI_FLOAT, &two);
	MPI_Type_commit(&two);
	if (faulty)
		MPI_Gatherv(in, 2, rank == 1 ? MPI_INT : MPI_FLOAT, out, n, at, MPI_FLOAT, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Gatherv(in, rank == 1 ? 1 : 2, rank == 1 ? two : MPI_FLOAT, out, n, at, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Type_free(&two);
	MPI_Finalize();
	return 0;
}
