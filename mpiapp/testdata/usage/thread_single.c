/* usage: class=thread_level ranks=2
 * A thread exchanges although MPI_Init promised that there is one only; the twin's
 * thread computes. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

static int rank, in, out = 1;

static void exchange(void)
{
	MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
}

static void *work(void *faulty)
{
	out += 4;
	if (*(int *)faulty)
		exchange();
	return NULL;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	pthread_t helper;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&helper, NULL, work, &faulty);
	pthread_join(helper, NULL);
	if (!faulty)
		exchange();
	MPI_Finalize();
	return 0;
}
