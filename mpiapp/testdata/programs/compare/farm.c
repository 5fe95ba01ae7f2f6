// A task farm: rank 0 gives tasks to whoever asks, workers compute for a time that depends on the task and send results back.
// -DCHANGE=N seeds a change; the pairs are in e2e/testdata/compare.tsv.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef CHANGE
#define CHANGE 0
#endif

enum { TASKS = 120, TAG_TASK = 1, TAG_RESULT = 2, TAG_STOP = 3, TAG_FAILED = 4 };

static int rank, size;

static void note_failure(int worker) {
    int again = 0;
    MPI_Send(&again, 1, MPI_INT, worker, TAG_FAILED, MPI_COMM_WORLD);
}

static void stop_workers(void) {
    int none = 0, last = size - 1;
#if CHANGE == 10
    last--;
#endif
    for (int worker = 1; worker <= last; worker++)
        MPI_Send(&none, 1, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
}

static void hand_out(void) {
    int task = 0, running = 0;
    for (int worker = 1; worker < size && task < TASKS; worker++, running++, task++)
        MPI_Send(&task, 1, MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
    while (running > 0) {
        int result;
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_FAILED) {
            note_failure(status.MPI_SOURCE);
            continue;
        }
        running--;
        if (task < TASKS) {
            MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, TAG_TASK, MPI_COMM_WORLD);
            task++, running++;
        }
    }
    stop_workers();
}

static int compute(int task) {
    usleep(200 + 700 * ((task * 7 + rank) % 5));
    return task * task;
}

static void report_failure(int task) {
    int answer;
    MPI_Send(&task, 1, MPI_INT, 0, TAG_FAILED, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_INT, 0, TAG_FAILED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void work(void) {
    for (;;) {
        int task;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        int result = compute(task), failed = 0;
#if CHANGE == 9
        failed = task == 77;
#endif
        if (failed)
            report_failure(task);
        MPI_Send(&result, 1, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        hand_out();
    else
        work();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
