/* usage: class=leak ranks=2
 * A key of attributes stays. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int key, value = 5;
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); /* ERROR */
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
	MPI_Comm_delete_attr(MPI_COMM_SELF, key);
	if (!faulty)
		MPI_Comm_free_keyval(&key);
	MPI_Finalize();
	return 0;
}
