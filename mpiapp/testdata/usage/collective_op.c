/* usage: class=collective_mismatch ranks=3
 * One rank takes the maximum where the others sum up. The twin uses an operation
 * that each rank has made for itself. */
#include <mpi.h>
#include <string.h>

static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)out)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in = rank, out;
	MPI_Op op;
	MPI_Op_create(add, 1, &op);
	if (faulty)
		MPI_Allreduce(&in, &out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
