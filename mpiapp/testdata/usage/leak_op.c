/* usage: class=leak ranks=2
 * An operation stays. */
#include <mpi.h>
#include <string.h>

static void first(void *in, void *out, int *n, MPI_Datatype *type)
{
	(void)type;
	memcpy(out, in, *n * sizeof(int));
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in = rank, out;
	MPI_Op op;
	MPI_Op_create(first, 0, &op); /* ERROR */
	MPI_Reduce(&in, &out, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
	if (!faulty)
		MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
