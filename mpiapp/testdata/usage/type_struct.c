/* usage: class=type_mismatch ranks=2
 * A structure of an integer and a double is received with its members swapped; the
 * twin receives it as another structure with the same signature. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

struct a { int n; double x; };
struct b { double x; int n; };

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct a out = {1, 2.0}, in;
	int ones[2] = {1, 1};
	MPI_Aint at_a[2] = {offsetof(struct a, n), offsetof(struct a, x)};
	MPI_Aint at_b[2] = {offsetof(struct b, x), offsetof(struct b, n)};
	MPI_Aint back[2] = {offsetof(struct b, n), offsetof(struct b, x)};
	MPI_Datatype member_a[2] = {MPI_INT, MPI_DOUBLE}, member_b[2] = {MPI_DOUBLE, MPI_INT}, a, b, c;
	MPI_Type_create_struct(2, ones, at_a, member_a, &a);
	MPI_Type_create_struct(2, ones, at_b, member_b, &b);
	MPI_Type_create_struct(2, ones, back, member_a, &c);
	MPI_Type_commit(&a);
	MPI_Type_commit(&b);
	MPI_Type_commit(&c);
	if (rank == 0)
		MPI_Send(&out, 1, a, 1, 0, MPI_COMM_WORLD); /* ERROR */
	else
		MPI_Recv(&in, 1, faulty ? b : c, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ERROR */
	MPI_Type_free(&a);
	MPI_Type_free(&b);
	MPI_Type_free(&c);
	MPI_Finalize();
	return 0;
}
