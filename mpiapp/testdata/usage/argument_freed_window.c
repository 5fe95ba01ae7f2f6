/* usage: class=invalid_argument|one_sided ranks=2
 * A fence on a window that was freed; the twin has a second one. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	int shelf[2] = {0};
	MPI_Win win, copy;
	MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	copy = win;
	if (!faulty)
		MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &copy);
	MPI_Win_free(&win);
	if (faulty) {
		MPI_Win_fence(0, win); /* ERROR */
	} else {
		MPI_Win_fence(0, copy);
		MPI_Win_free(&copy);
	}
	MPI_Finalize();
	return 0;
}
