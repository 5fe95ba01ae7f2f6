/* usage: class=unmatched_message ranks=4
 * A farm with heartbeats: each worker sends one after each task, and the master
 * takes those that are there when it looks. When the tasks are done nobody looks
 * any more. In the twin the master takes what the workers say they have sent. */
#include <mpi.h>
#include <string.h>

enum tag { TAG_TASK = 10, TAG_RESULT, TAG_BEAT, TAG_STOP };
enum { TASKS = 9, POINTS = 50 };

struct farm {
	int workers, given, beats, open;
	double sum;
};

static int rank, size;

static void give(struct farm *f, int worker)
{
	if (f->given < TASKS) {
		int task = f->given++;
		MPI_Send(&task, 1, MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
		return;
	}
	MPI_Send(NULL, 0, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
	f->open--;
}

static void take_beat(struct farm *f)
{
	int beat;
	MPI_Recv(&beat, 1, MPI_INT, MPI_ANY_SOURCE, TAG_BEAT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	f->beats++;
}

static void look(struct farm *f)
{
	int there;
	MPI_Iprobe(MPI_ANY_SOURCE, TAG_BEAT, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	if (there)
		take_beat(f);
}

static void master(int faulty)
{
	struct farm f = {.workers = size - 1, .open = size - 1};
	for (int w = 1; w < size; w++)
		give(&f, w);
	while (f.open > 0) {
		double part;
		MPI_Status status;
		MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
		f.sum += part;
		give(&f, status.MPI_SOURCE);
		if (f.given < TASKS - 2)
			look(&f);
	}
	int none = 0, sent;
	MPI_Reduce(&none, &sent, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	while (!faulty && f.beats < sent)
		take_beat(&f);
}

static double integrate(int task)
{
	double sum = 0;
	for (int i = 0; i < POINTS; i++) {
		double x = (task * POINTS + i + 0.5) / (TASKS * POINTS);
		sum += 4 / (1 + x * x) / (TASKS * POINTS);
	}
	return sum;
}

static void worker(void)
{
	int beats = 0, task, beat[TASKS];
	MPI_Request request[TASKS];
	for (;;) {
		MPI_Status status;
		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			break;
		double part = integrate(task);
		MPI_Send(&part, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
		beat[beats] = task;
		MPI_Isend(&beat[beats], 1, MPI_INT, 0, TAG_BEAT, MPI_COMM_WORLD, &request[beats]); /* ERROR */
		beats++;
	}
	MPI_Reduce(&beats, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Waitall(beats, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		master(faulty);
	else
		worker();
	MPI_Finalize();
	return 0;
}
