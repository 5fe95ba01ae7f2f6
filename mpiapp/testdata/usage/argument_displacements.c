/* usage: class=invalid_argument|buffer_overlap ranks=3
 * The pieces that are gathered overlap in the root's buffer; in the twin they lie
 * apart and in another order. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int out[2] = {0}, in[12], n[3] = {2, 2, 2}, close[3] = {0, 1, 4}, apart[3] = {8, 4, 0};
	MPI_Gatherv(out, 2, MPI_INT, in, n, faulty ? close : apart, MPI_INT, 0, MPI_COMM_WORLD); /* ERROR */
	MPI_Finalize();
	return 0;
}
