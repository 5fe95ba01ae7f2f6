// Output through aggregators: ranks are in groups, the first of a group gathers its data and writes them to a shared file,
// which is opened by the aggregators alone. -DCHANGE=N seeds a change; the pairs are in e2e/testdata/compare.tsv.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CHANGE
#define CHANGE 0
#endif

enum { VALUES = 128, DUMPS = 12, GROUP = 2 };

static int rank, size;
static MPI_Comm group, writers;

static void write_alone(const double *all, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += all[i];
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &sum, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, writers);
}

static void write_shared(const double *all, int count, int dump) {
    char name[64];
    int writer;
    MPI_File file;
    MPI_Comm_rank(writers, &writer);
#if CHANGE == 13
    snprintf(name, sizeof name, "missing/dump%d.bin", dump);
#else
    snprintf(name, sizeof name, "dump%d.bin", dump);
#endif
    if (MPI_File_open(writers, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
        write_alone(all, count);
        return;
    }
    MPI_File_write_at_all(file, (MPI_Offset)writer * count * 8, all, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void write_dump(const double *values, int dump) {
    int members, place, root = 0;
    MPI_Comm_size(group, &members);
    MPI_Comm_rank(group, &place);
    double *all = malloc(sizeof(double) * VALUES * members);
#if CHANGE == 14
    root = members - 1;
#endif
    MPI_Gather(values, VALUES, MPI_DOUBLE, all, VALUES, MPI_DOUBLE, root, group);
    if (writers != MPI_COMM_NULL)
        write_shared(all, VALUES * members, dump);
    free(all);
    MPI_Barrier(group);
}

int main(int argc, char **argv) {
    double values[VALUES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / GROUP, rank, &group);
    MPI_Comm_split(MPI_COMM_WORLD, rank % GROUP ? MPI_UNDEFINED : 0, rank, &writers);
    for (int dump = 0; dump < DUMPS; dump++) {
        for (int i = 0; i < VALUES; i++)
            values[i] = rank + i * dump;
        write_dump(values, dump);
    }
    MPI_Finalize();
    return 0;
}
