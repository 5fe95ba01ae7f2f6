/* usage: class=type_mismatch ranks=3
 * A farm whose master builds the type of a task and whose workers build theirs. The
 * master's has the deadline before the two indices, as an earlier version of the
 * struct had it; sizes are equal. In the twin both build it with one function. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

enum tag { TAG_TASK = 1, TAG_RESULT, TAG_STOP };
enum { TASKS = 5 };

struct task {
	int first, last;
	double deadline;
	char name[8];
};

struct old_task {
	double deadline;
	int first, last;
	char name[8];
};

static int rank, size;

static MPI_Datatype make(MPI_Aint first, MPI_Aint deadline, MPI_Aint name, int old)
{
	int length[3] = {2, 1, 8};
	MPI_Aint at[3] = {first, deadline, name};
	MPI_Datatype part[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, type;
	if (old) {
		length[0] = 1, at[0] = deadline, part[0] = MPI_DOUBLE;
		length[1] = 2, at[1] = first, part[1] = MPI_INT;
	}
	MPI_Type_create_struct(3, length, at, part, &type);
	MPI_Type_commit(&type);
	return type;
}

static MPI_Datatype task_type(void)
{
	return make(offsetof(struct task, first), offsetof(struct task, deadline), offsetof(struct task, name), 0);
}

static MPI_Datatype old_task_type(void)
{
	return make(offsetof(struct old_task, first), offsetof(struct old_task, deadline),
		    offsetof(struct old_task, name), 1);
}

static void send_task(int worker, int number, MPI_Datatype type)
{
	struct task task = {number, number + 10, 0.5, "sum"};
	MPI_Send(&task, 1, type, worker, TAG_TASK, MPI_COMM_WORLD); /* ERROR */
}

static double master(MPI_Datatype type)
{
	double sum = 0, result;
	MPI_Status status;
	int sent = 0, open = 0;
	for (int w = 1; w < size; w++, open++)
		send_task(w, sent++, type);
	while (open > 0) {
		MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
		sum += result;
		if (sent < TASKS) {
			send_task(status.MPI_SOURCE, sent++, type);
			continue;
		}
		MPI_Send(NULL, 0, MPI_BYTE, status.MPI_SOURCE, TAG_STOP, MPI_COMM_WORLD);
		open--;
	}
	return sum;
}

static void worker(MPI_Datatype type)
{
	for (;;) {
		struct task task;
		MPI_Status status;
		double result = 0;
		MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			break;
		MPI_Recv(&task, 1, type, 0, TAG_TASK, MPI_COMM_WORLD, &status); /* ERROR */
		for (int i = 0; i < 10; i++)
			result += i * task.deadline;
		MPI_Send(&result, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
	}
	MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Datatype type = faulty && rank == 0 ? old_task_type() : task_type();
	if (rank == 0)
		master(type);
	else
		worker(type);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
