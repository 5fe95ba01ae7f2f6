// report: rank=1 size=2 stop=MPI_Recv:2 data=4 peer=0:MPI_Send:1
// A command is encoded with a wrong number, and the worker waits for arguments
// that this command should not have.
#include <mpi.h>
#include <stdio.h>

static int state[8];

static void step(int n)
{
	for (int i = 0; i < 8; i++)
		state[i] += n;
}

static int encode(int what)
{
	return what * 2; // root
}

static void serve(int cmd)
{
	int arg = 0;
	MPI_Status st;
	switch (cmd) { // slice
	case 0:
		step(1);
		break;
	case 1:
		step(2);
		break;
	case 2:
		printf("%d\n", state[0]);
		break;
	case 3:
		state[0] = 0;
		break;
	case 4:
		MPI_Recv(&arg, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, &st); // stop
		step(arg);
		break;
	case 5:
		state[7] = 1;
		break;
	}
}

int main(int argc, char **argv)
{
	int rank, cmd;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
	if (rank == 0) { // slice
		cmd = encode(2); // slice
		MPI_Send(&cmd, 1, MPI_INT, 1, 11, MPI_COMM_WORLD); // slice
	} else {
		MPI_Recv(&cmd, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, &st); // slice
		serve(cmd); // slice
	}
	MPI_Finalize();
	return 0;
}
