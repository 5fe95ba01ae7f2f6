/* usage: class=invalid_argument ranks=2
 * Bits of doubles cannot be combined; the twin does it with bytes, and finds the
 * place of a maximum with the type made for it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct { double x; int at; } mine = {0, 0}, best;
	double bits = 1, all;
	unsigned char flags = 1, any;
	mine.x = mine.at = rank;
	if (faulty)
		MPI_Allreduce(&bits, &all, 1, MPI_DOUBLE, MPI_BOR, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Allreduce(&flags, &any, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
	MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
