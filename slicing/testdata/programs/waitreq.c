// tune: rank=1 size=3 stop=MPI_Wait:1
// The receive that is waited for was posted with the wrong source.
#include <mpi.h>
#include <stdio.h>

static double local(int n)
{
	double s = 0;
	for (int i = 1; i <= n; i++)
		s += 1.0 / i;
	return s;
}

int main(int argc, char **argv)
{
	int rank, size;
	double in = 0, out, s;
	MPI_Request req;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
	int next = (rank + 1) % size;
	int prev = (rank + size + 1) % size; // root
	out = local(10 * rank);
	MPI_Irecv(&in, 1, MPI_DOUBLE, prev, 8, MPI_COMM_WORLD, &req); // slice
	MPI_Send(&out, 1, MPI_DOUBLE, next, 8, MPI_COMM_WORLD);
	s = local(500);
	MPI_Wait(&req, &st); // stop
	printf("%g\n", s + in);
	MPI_Finalize();
	return 0;
}
