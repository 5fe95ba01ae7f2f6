/* usage: class=thread_level|request_misuse ranks=2 may-hang
 * Two threads wait for the same request, which MPI_THREAD_MULTIPLE does not allow;
 * in the twin each has its own. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
#include <string.h>

static MPI_Request req[2];

static void *complete(void *which)
{
	MPI_Wait(&req[*(int *)which], MPI_STATUS_IGNORE); /* ERROR */
	return NULL;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, level, in[2], out[2] = {1, 2};
	int own = 0, helpers = 1;
	pthread_t helper;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (faulty)
		helpers = 0;
	if (rank == 1) {
		MPI_Irecv(&in[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &req[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &req[1]);
		pthread_create(&helper, NULL, complete, &helpers);
		complete(&own);
		pthread_join(helper, NULL);
		if (faulty)
			MPI_Wait(&req[1], MPI_STATUS_IGNORE);
	} else {
		usleep(500000);
		MPI_Send(&out[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(&out[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
