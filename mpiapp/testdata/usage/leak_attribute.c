/* usage: class=leak ranks=2
 * A library frees what it keeps on a communicator in a callback, within MPI_Finalize or
 * MPI_Comm_free; the faulty one forgets a type. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct kept {
	MPI_Comm comm;
	MPI_Datatype pair;
};

static int faulty, key;

static int release(MPI_Comm comm, int which, void *value, void *extra)
{
	struct kept *k = value;
	(void)comm, (void)which, (void)extra;
	if (!faulty)
		MPI_Type_free(&k->pair);
	MPI_Comm_free(&k->comm);
	free(k);
	return MPI_SUCCESS;
}

static void keep(MPI_Comm on, MPI_Comm comm)
{
	struct kept *k = malloc(sizeof *k);
	MPI_Comm_dup(comm, &k->comm);
	MPI_Type_contiguous(2, MPI_INT, &k->pair); /* ERROR */
	MPI_Type_commit(&k->pair);
	MPI_Comm_set_attr(on, key, k);
	int mine[2] = {1, 2}, all[4];
	MPI_Allgather(mine, 1, k->pair, all, 1, k->pair, k->comm);
}

int main(int argc, char **argv)
{
	faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, &key, NULL);
	keep(MPI_COMM_SELF, MPI_COMM_WORLD);
	MPI_Comm other;
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	keep(other, other);
	MPI_Comm_free(&other);
	int last = key;
	MPI_Comm_free_keyval(&last);
	MPI_Finalize();
	return 0;
}
