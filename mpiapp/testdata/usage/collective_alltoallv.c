/* usage: class=collective_mismatch ranks=3 may-hang
 * Rank 0 sends rank 2 one number less than it expects. The twin does the same
 * exchange by Alltoallw, with a type for each rank. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int out[9] = {0}, in[9], n[3] = {3, 3, 3}, m[3] = {3, 3, 3}, at[3] = {0, 3, 6};
	if (faulty) {
		if (rank == 0)
			n[2] = 2;
		MPI_Alltoallv(out, n, at, MPI_INT, in, m, at, MPI_INT, MPI_COMM_WORLD); /* ERROR */
	} else {
		MPI_Datatype types[3], three;
		int one[3], bytes[3] = {0, 12, 24};
		MPI_Type_contiguous(3, MPI_INT, &three);
		MPI_Type_commit(&three);
		for (int i = 0; i < size; i++) {
			one[i] = i == 1 ? 1 : 3;
			types[i] = i == 1 ? three : MPI_INT;
		}
		MPI_Alltoallw(out, one, bytes, types, in, one, bytes, types, MPI_COMM_WORLD);
		MPI_Type_free(&three);
	}
	MPI_Finalize();
	return 0;
}
