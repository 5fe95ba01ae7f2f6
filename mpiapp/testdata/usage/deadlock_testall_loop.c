/* usage: class=deadlock ranks=3 hangs
 * Rank 0 answers questions while it polls for two results, one of which is there and
 * the other comes only after an answer. In the twin it is only late. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 1, SECOND = 2, QUESTION = 8, ANSWER = 9 };

static void serve(void)
{
	int results[2], question, asked, all = 0;
	MPI_Request pending[2];
	MPI_Status from;
	MPI_Irecv(&results[0], 1, MPI_INT, 1, FIRST, MPI_COMM_WORLD, &pending[0]);
	MPI_Irecv(&results[1], 1, MPI_INT, 1, SECOND, MPI_COMM_WORLD, &pending[1]);
	while (!all) {
		MPI_Iprobe(MPI_ANY_SOURCE, QUESTION, MPI_COMM_WORLD, &asked, &from); /* ERROR */
		if (asked) {
			MPI_Recv(&question, 1, MPI_INT, from.MPI_SOURCE, QUESTION, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(&question, 1, MPI_INT, from.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
		}
		MPI_Testall(2, pending, &all, MPI_STATUSES_IGNORE); /* ERROR */
		usleep(100);
	}
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, word = 7;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		serve();
	} else if (rank == 1) {
		MPI_Send(&word, 1, MPI_INT, 0, FIRST, MPI_COMM_WORLD);
		if (faulty)
			MPI_Recv(&word, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
		usleep(400000);
		MPI_Send(&word, 1, MPI_INT, 0, SECOND, MPI_COMM_WORLD);
	} else {
		MPI_Send(&word, 1, MPI_INT, 0, QUESTION, MPI_COMM_WORLD);
		MPI_Recv(&word, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
