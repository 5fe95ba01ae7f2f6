// A conjugate gradient solver with a smoother as preconditioner, in the style of a finite element code: every outer
// iteration has a few sweeps with their halo exchange, two dot products, and a test of convergence that rank 0 decides.
// -DCHANGE=N seeds a change; the pairs are in e2e/testdata/compare.tsv.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifndef CHANGE
#define CHANGE 0
#endif

enum { LOCAL = 256, OUTER = 25, FACE = 32 };

static int rank, size;
static double x[LOCAL], r[LOCAL], p[LOCAL], ghost[2][FACE];

static void swap_faces(const double *v) {
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
#if CHANGE == 8
    int count = FACE / 2;
#else
    int count = FACE;
#endif
    MPI_Sendrecv(v, count, MPI_DOUBLE, previous, 1, ghost[1], FACE, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(v + LOCAL - FACE, FACE, MPI_DOUBLE, next, 2, ghost[0], FACE, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void smooth(double *v) {
#if CHANGE == 5
    int sweeps = 6;
#else
    int sweeps = 3;
#endif
    for (int sweep = 0; sweep < sweeps; sweep++) {
        swap_faces(v);
        for (int i = 0; i < LOCAL; i++)
            v[i] = 0.9 * v[i] + 0.05 * (i ? v[i - 1] : ghost[0][FACE - 1]) + 0.05 * (i + 1 < LOCAL ? v[i + 1] : ghost[1][0]);
    }
}

static double dot(const double *a, const double *b) {
    double mine = 0, all;
    for (int i = 0; i < LOCAL; i++)
        mine += a[i] * b[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int agree_to_stop(double norm, int iteration) {
    int stop = norm < 1e-30 || iteration == OUTER - 1;
#if CHANGE == 7
    if (rank == 1 && iteration == 9)
        return 1;
#endif
    MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return stop;
}

static double count_work(double flops) {
    double total = 0;
    MPI_Reduce(&flops, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return total;
}

static void solve(void) {
    for (int iteration = 0;; iteration++) {
        smooth(p);
        double alpha = dot(r, p) / (1 + fabs(dot(p, p)));
        for (int i = 0; i < LOCAL; i++)
            x[i] += alpha * p[i], r[i] -= 0.1 * alpha * p[i];
        double norm = 1;
#if CHANGE == 6
        int stop = agree_to_stop(norm, iteration);
        norm = dot(r, r);
        count_work(norm);
#else
        norm = 1 + dot(r, r);
        int stop = agree_to_stop(norm, iteration);
        count_work(norm);
#endif
        if (stop)
            break;
        memcpy(p, r, sizeof p);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < LOCAL; i++)
        r[i] = p[i] = 1 + (rank * LOCAL + i) % 11;
    solve();
    double norm = sqrt(dot(x, x));
    (void)norm;
    MPI_Finalize();
    return 0;
}
