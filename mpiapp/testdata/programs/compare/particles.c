// Particles in a ring of cells: each step ranks tell their neighbours how many particles leave, send them, and balance within
// rows of ranks now and then. -DCHANGE=N seeds a change; the pairs are in e2e/testdata/compare.tsv.
#include <mpi.h>
#include <stdlib.h>

#ifndef CHANGE
#define CHANGE 0
#endif

enum { STEPS = 40, MOST = 4096 };

typedef struct {
    double at, speed;
} particle;

static int rank, size;
static MPI_Comm row;
static particle mine[MOST];
static int held;

static int take_leavers(int direction, particle *out) {
    int left = 0;
    for (int i = 0; i < held;) {
        int leaves = direction > 0 ? mine[i].at >= 1 : mine[i].at < 0;
        if (leaves) {
            out[left] = mine[i];
            out[left++].at -= direction;
            mine[i] = mine[--held];
        } else {
            i++;
        }
    }
    return left;
}

static void migrate(int direction, int step) {
    static particle leaving[MOST], coming[MOST];
    int to = (rank + direction + size) % size, from = (rank - direction + size) % size;
#if CHANGE == 12
    if (rank == 3 && step == 15 && direction > 0)
        from = (from + size - 1) % size;
#endif
    int out = take_leavers(direction, leaving), in = 0;
    MPI_Request request[2];
    MPI_Irecv(&in, 1, MPI_INT, from, 20, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&out, 1, MPI_INT, to, 20, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Irecv(coming, 2 * in, MPI_DOUBLE, from, 21, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(leaving, 2 * out, MPI_DOUBLE, to, 21, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < in; i++)
        mine[held++] = coming[i];
}

static double total_energy(void) {
    double e = 0, all;
    for (int i = 0; i < held; i++)
        e += mine[i].speed * mine[i].speed;
#if CHANGE == 11
    MPI_Allreduce(&e, &all, 1, MPI_DOUBLE, MPI_SUM, row);
#else
    MPI_Allreduce(&e, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    return all;
}

static void balance_row(void) {
    int load = held, *loads = malloc(sizeof(int) * size);
    MPI_Allgather(&load, 1, MPI_INT, loads, 1, MPI_INT, row);
    free(loads);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    srand(rank + 1);
    for (held = 0; held < 200; held++)
        mine[held] = (particle){(held % 100) / 100.0, (rand() % 200 - 100) / 1000.0};
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < held; i++)
            mine[i].at += mine[i].speed;
        migrate(1, step);
        migrate(-1, step);
        if (step % 4 == 0)
            total_energy();
        if (step % 10 == 9)
            balance_row();
    }
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
