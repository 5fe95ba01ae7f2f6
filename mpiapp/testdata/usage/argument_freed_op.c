/* usage: class=invalid_argument ranks=3
 * A reduction by an operation that is gone. The twin frees it while the reduction
 * is under way. */
#include <mpi.h>
#include <string.h>

static void larger(void *in, void *out, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		if (((int *)in)[i] > ((int *)out)[i])
			((int *)out)[i] = ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int in = rank, out = 0;
	MPI_Op op;
	MPI_Request req = MPI_REQUEST_NULL;
	MPI_Op_create(larger, 1, &op);
	if (faulty) {
		MPI_Op_free(&op); /* ERROR */
		MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	} else {
		MPI_Iallreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD, &req);
		MPI_Op_free(&op);
	}
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
