/* usage: class=unmatched_message ranks=2
 * A library keeps a communicator of its own as an attribute of the program's. When
 * the program duplicates that, the callback that copies the attribute makes one for
 * the duplicate, and the one that deletes it frees it. The library sends a farewell
 * that nobody receives; in the twin it is received. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_FAREWELL = 7 };

static int copy(MPI_Comm from, int key, void *state, void *value, void *made, int *flag)
{
	MPI_Comm *own = malloc(sizeof *own);
	(void)from, (void)key, (void)state;
	if (!own)
		return MPI_ERR_OTHER;
	MPI_Comm_dup(*(MPI_Comm *)value, own);
	*(void **)made = own;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete(MPI_Comm of, int key, void *value, void *state)
{
	(void)of, (void)key, (void)state;
	MPI_Comm_free(value);
	free(value);
	return MPI_SUCCESS;
}

static void say_farewell(MPI_Comm comm, int key, int received)
{
	MPI_Comm *own;
	int found, rank, word = 1;
	MPI_Comm_get_attr(comm, key, &own, &found);
	if (!found)
		return;
	MPI_Comm_rank(*own, &rank);
	if (rank == 0)
		MPI_Send(&word, 1, MPI_INT, 1, TAG_FAREWELL, *own); /* ERROR */
	else if (received)
		MPI_Recv(&word, 1, MPI_INT, 0, TAG_FAREWELL, *own, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, key;
	MPI_Comm *own = malloc(sizeof *own), ours, work;
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &ours);
	MPI_Comm_dup(MPI_COMM_WORLD, own);
	MPI_Comm_create_keyval(copy, delete, &key, NULL);
	MPI_Comm_set_attr(ours, key, own);
	MPI_Comm_dup(ours, &work);
	say_farewell(work, key, !faulty);
	MPI_Comm_free(&work);
	MPI_Comm_free(&ours);
	MPI_Comm_free_keyval(&key);
	MPI_Finalize();
	return 0;
}
