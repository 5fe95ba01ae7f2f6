/* usage: class=thread_level ranks=2
 * With MPI_THREAD_FUNNELED another thread than the main one calls MPI. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

static int total, one = 1;

static void *add(void *unused)
{
	(void)unused;
	MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* ERROR */
	return NULL;
}

static void *wait_only(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, level;
	pthread_t helper;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	pthread_create(&helper, NULL, faulty ? add : wait_only, NULL);
	pthread_join(helper, NULL);
	if (!faulty)
		add(NULL);
	MPI_Finalize();
	return 0;
}
