// A 1-d domain decomposition of a heat equation: halo exchange with both neighbours, a residual every few steps, and a
// checkpoint that rank 0 gathers. -DCHANGE=N seeds a change; the pairs are in e2e/testdata/compare.tsv.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CHANGE
#define CHANGE 0
#endif

enum { CELLS = 64, STEPS = 60, TAG_UP = 11, TAG_DOWN = 12 };

static int rank, size, up, down;

static void find_neighbours(void) {
    up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
#if CHANGE == 3
    if (rank == size - 1)
        up = 0;
#endif
}

static void exchange_halo(double *u, int step) {
    MPI_Request request[4];
    int n = 0;
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, down, TAG_UP, MPI_COMM_WORLD, &request[n++]);
#if CHANGE == 1
    if (step % 8 != 7)
#endif
    MPI_Isend(&u[1], 1, MPI_DOUBLE, down, TAG_DOWN, MPI_COMM_WORLD, &request[n++]);
#if CHANGE == 3
    MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : up, TAG_DOWN, MPI_COMM_WORLD, &request[n++]);
#elif CHANGE == 1
    if (step % 8 != 7)
        MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, up, TAG_DOWN, MPI_COMM_WORLD, &request[n++]);
#else
    MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, up, TAG_DOWN, MPI_COMM_WORLD, &request[n++]);
#endif
    int tag = TAG_UP;
#if CHANGE == 4
    if (rank == 2 && step == 20)
        tag = TAG_UP + 10;
#endif
    MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, up, tag, MPI_COMM_WORLD, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

static double relax(double *u, double *next) {
    double change = 0;
    for (int i = 1; i <= CELLS; i++) {
        next[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        change += (next[i] - u[i]) * (next[i] - u[i]);
    }
    for (int i = 1; i <= CELLS; i++)
        u[i] = next[i];
    return change;
}

static double find_residual(double change) {
    double sum;
    MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void write_checkpoint(double *u) {
    double *all = rank == 0 ? malloc(sizeof(double) * CELLS * size) : NULL;
#if CHANGE == 2
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    MPI_Gather(&u[1], CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(all);
}

int main(int argc, char **argv) {
    double u[CELLS + 2] = {0}, next[CELLS + 2] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    find_neighbours();
    for (int i = 1; i <= CELLS; i++)
        u[i] = rank + i % 7;
    for (int step = 0; step < STEPS; step++) {
        exchange_halo(u, step);
        double change = relax(u, next);
        if (step % 5 == 4)
            change = find_residual(change);
        if (step % 20 == 19)
            write_checkpoint(u);
    }
    MPI_Finalize();
    return 0;
}
