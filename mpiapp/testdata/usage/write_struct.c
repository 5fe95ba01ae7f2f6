/* usage: class=send_buffer_write ranks=2
 * The last member of a structure changes while it is sent. The twin changes the
 * member that the type leaves out. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

struct particle { double x[3]; int busy; int kind; };

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct particle p[5] = {{{0}, 0, 0}};
	int lengths[2] = {3, 1};
	MPI_Aint at[2] = {offsetof(struct particle, x), offsetof(struct particle, kind)};
	MPI_Datatype members[2] = {MPI_DOUBLE, MPI_INT}, some, type;
	MPI_Request req;
	MPI_Type_create_struct(2, lengths, at, members, &some);
	MPI_Type_create_resized(some, 0, sizeof p[0], &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&some);
	if (rank == 0) {
		MPI_Issend(p, 5, type, 1, 0, MPI_COMM_WORLD, &req); /* ERROR */
		for (int i = 0; i < 5; i++)
			p[i].busy = 1;
		if (faulty)
			p[4].kind = 9;
		MPI_Wait(&req, MPI_STATUS_IGNORE); /* ERROR */
	} else {
		MPI_Recv(p, 5, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
