/* usage: class=thread_level|collective_mismatch ranks=2
 * Two threads are in collectives of one communicator at once; in the twin each has
 * a communicator of its own. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
#include <string.h>

static int rank;

static void *meet(void *comm)
{
	usleep(rank * 300000);
	MPI_Barrier(*(MPI_Comm *)comm); /* ERROR */
	return NULL;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, level;
	MPI_Comm world = MPI_COMM_WORLD, own;
	pthread_t helper;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	pthread_create(&helper, NULL, meet, faulty ? &world : &own);
	meet(&world);
	pthread_join(helper, NULL);
	MPI_Comm_free(&own);
	MPI_Finalize();
	return 0;
}
