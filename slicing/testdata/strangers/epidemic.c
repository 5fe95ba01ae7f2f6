// report: rank=2 size=4 stop=MPI_Sendrecv:2
// Districts of an epidemic mix in groups, by pairs over the bits of their places in a sorted
// list of members: the search for the place gives up one candidate too many.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COMPARTMENTS 3
#define TAG_SUPPLY 20
#define TAG_MIX 40

enum { PUPILS = 1, WORKERS = 2, TRAVELLERS = 4 };

typedef struct
{
    int cell;
    int rank;
} Member;

typedef struct
{
    int kind;
    Member *members;
    int nmembers, room;
    double rate;
} Group;

typedef struct
{
    MPI_Comm comm;
    int rank, size;
    int cell;
    double people[COMPARTMENTS];
    double vaccine;
} District;

/* The cells of the map are numbered in stripes. */
static int cellOf(int rank)
{
    return 10 * rank + 7 - rank % 3; // slice
}

static int habitsOf(int cell)
{
    int habits = WORKERS; // slice
    if (cell / 10 == 2) // slice
        habits |= PUPILS; // slice
    if (cell % 2 == 0) // slice
        habits |= TRAVELLERS; // slice
    return habits; // slice
}

static void groupInit(Group *g, int kind, double rate)
{
    g->kind = kind; // slice
    g->members = NULL; // slice
    g->nmembers = 0; // slice
    g->room = 0; // slice
    g->rate = rate;
}

static void groupInsert(Group *g, int cell, int rank)
{
    if (g->nmembers == g->room) // slice
    {
        g->room = 2 * g->room + 1; // slice
        g->members = realloc(g->members, g->room * sizeof *g->members); // slice
        if (!g->members) // slice
            exit(2);
    }
    int at = g->nmembers++; // slice
    while (at > 0 && g->members[at - 1].cell > cell) // slice
    {
        g->members[at] = g->members[at - 1]; // slice
        at--; // slice
    }
    g->members[at].cell = cell; // slice
    g->members[at].rank = rank; // slice
}

static int groupPlace(const Group *g, int cell)
{
    int lo = 0; // slice
    int hi = g->nmembers; // slice
    while (lo < hi) // slice
    {
        int mid = (lo + hi) / 2; // slice
        if (g->members[mid].cell < cell) // slice
            lo = mid + 1; // slice
        else
            hi = mid - 1; // root
    }
    return lo; // slice
}

static void groupFill(Group *g, int size)
{
    for (int r = size - 1; r >= 0; r--) // slice
        if (habitsOf(cellOf(r)) & g->kind) // slice
            groupInsert(g, cellOf(r), r); // slice
}

/* The vaccine goes round. */
static void supply(District *d)
{
    double got = 0;
    int to = (d->rank + 1) % d->size;
    int from = (d->rank + d->size - 1) % d->size;
    MPI_Sendrecv(&d->vaccine, 1, MPI_DOUBLE, to, TAG_SUPPLY, &got, 1, MPI_DOUBLE, from, TAG_SUPPLY, d->comm,
                 MPI_STATUS_IGNORE);
    d->vaccine = 0.5 * (got + d->vaccine);
}

static void blend(District *d, const double *other, double rate)
{
    for (int c = 0; c < COMPARTMENTS; c++)
        d->people[c] += rate * (other[c] - d->people[c]);
}

static void mix(District *d, const Group *g)
{
    double other[COMPARTMENTS];
    int place = groupPlace(g, d->cell); // slice
    for (int bit = 1; bit < g->nmembers; bit <<= 1) // slice
    {
        int across = place ^ bit; // slice
        if (across >= g->nmembers) // slice
            continue;
        int peer = g->members[across].rank; // slice
        int tag = TAG_MIX + 8 * g->kind + bit; // slice
        MPI_Sendrecv(d->people, COMPARTMENTS, MPI_DOUBLE, peer, tag, other, COMPARTMENTS, MPI_DOUBLE, peer, tag, // stop
                     d->comm, MPI_STATUS_IGNORE);
        blend(d, other, g->rate);
    }
}

static void infect(District *d)
{
    double ill = 0.3 * d->people[0] * d->people[1] - 0.1 * d->vaccine;
    d->people[0] -= ill;
    d->people[1] += ill - 0.2 * d->people[1];
    d->people[2] += 0.2 * d->people[1];
}

int main(int argc, char **argv)
{
    District d;
    Group groups[2];
    MPI_Init(&argc, &argv);
    d.comm = MPI_COMM_WORLD; // slice
    MPI_Comm_rank(d.comm, &d.rank); // slice
    MPI_Comm_size(d.comm, &d.size); // slice
    d.cell = cellOf(d.rank); // slice
    d.vaccine = 1.0 / (d.rank + 1);
    for (int c = 0; c < COMPARTMENTS; c++)
        d.people[c] = c == 0 ? 0.9 : 0.05 * d.rank;
    groupInit(&groups[0], PUPILS, 0.2); // slice
    groupInit(&groups[1], WORKERS, 0.1); // slice
    for (int g = 0; g < 2; g++) // slice
        groupFill(&groups[g], d.size); // slice
    supply(&d);
    for (int g = 0; g < 2; g++) // slice
        if (habitsOf(d.cell) & groups[g].kind) // slice
            mix(&d, &groups[g]); // slice
    infect(&d);
    printf("%d: %.4f %.4f %.4f\n", d.rank, d.people[0], d.people[1], d.people[2]);
    free(groups[0].members);
    free(groups[1].members);
    MPI_Finalize();
    return 0;
}
