/* usage: class=thread_level ranks=2
 * Two threads are in MPI at once with MPI_THREAD_SERIALIZED: one waits for a
 * message that the other sends. In the twin they take turns. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
#include <string.h>

static int rank, in, out = 5;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *receive(void *faulty)
{
	int flag = 0;
	if (*(int *)faulty) {
		MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		return NULL;
	}
	while (!flag) {
		pthread_mutex_lock(&turn);
		MPI_Iprobe(1 - rank, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		if (flag)
			MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		pthread_mutex_unlock(&turn);
		usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, level, done = 0;
	MPI_Request req = MPI_REQUEST_NULL;
	pthread_t helper;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&helper, NULL, receive, &faulty);
	usleep(300000);
	if (faulty)
		MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); /* ERROR */
	while (!faulty && !done) {
		pthread_mutex_lock(&turn);
		if (req == MPI_REQUEST_NULL)
			MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &req);
		MPI_Test(&req, &done, MPI_STATUS_IGNORE);
		pthread_mutex_unlock(&turn);
	}
	pthread_join(helper, NULL);
	MPI_Finalize();
	return 0;
}
