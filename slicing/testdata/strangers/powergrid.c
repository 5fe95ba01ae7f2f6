// report: rank=2 size=3 stop=MPI_Ssend:2
// The islands of a power grid are found with a union of sets, and the loads of an island go
// to the owner of its leading bus: a bus is hung below another island, not its whole set.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BUSES 12
#define TAG_LOAD 700

typedef struct
{
    int from, to;
    int area;
    double reactance;
} Line;

typedef struct
{
    int *parent;
    int njoined;
} Islands;

typedef struct
{
    MPI_Comm comm;
    int rank, size;
    int per;
    Islands islands;
    double load[BUSES];
} Grid;

static const Line lines[] = {
    {8, 0, 0, 0.10},
    {10, 2, 0, 0.21},
    {6, 7, 1, 0.08},
    {9, 5, 2, 0.13},
    {10, 9, 2, 0.17},
    {11, 6, 2, 0.31},
    {1, 0, 0, 0.09},
};

static int busOwner(const Grid *g, int bus)
{
    return bus / g->per; // slice
}

static void islandsInit(Islands *s, int n)
{
    s->njoined = 0;
    s->parent = malloc(n * sizeof *s->parent); // slice
    if (!s->parent) // slice
        exit(2);
    for (int i = 0; i < n; i++) // slice
        s->parent[i] = i; // slice
}

static int islandsFind(const Islands *s, int bus)
{
    while (s->parent[bus] != bus) // slice
        bus = s->parent[bus]; // slice
    return bus; // slice
}

/* The lower bus leads. */
static void islandsJoin(Islands *s, int a, int b)
{
    int ra = islandsFind(s, a); // slice
    int rb = islandsFind(s, b); // slice
    if (ra == rb) // slice
        return;
    if (ra < rb) // slice
        s->parent[rb] = ra; // slice
    else
        s->parent[a] = rb; // root
    s->njoined++;
}

/* Lines of the own area come first: their data are at hand. */
static void readLines(Grid *g)
{
    const int n = (int)(sizeof lines / sizeof lines[0]); // slice
    for (int pass = 0; pass < 2; pass++) // slice
        for (int i = 0; i < n; i++) // slice
        {
            int own = lines[i].area == g->rank; // slice
            if (own == (pass == 0)) // slice
                islandsJoin(&g->islands, lines[i].from, lines[i].to); // slice
        }
}

static int hasBus(Grid *g, int rank, int leader)
{
    for (int b = rank * g->per; b < (rank + 1) * g->per; b++)
        if (islandsFind(&g->islands, b) == leader)
            return 1;
    return 0;
}

static double islandLoad(Grid *g, int leader)
{
    double sum = 0;
    for (int b = g->rank * g->per; b < (g->rank + 1) * g->per; b++)
        if (islandsFind(&g->islands, b) == leader)
            sum += g->load[b];
    return sum;
}

/* What this rank has of islands that are led from elsewhere. */
static void contribute(Grid *g)
{
    char done[BUSES] = {0}; // slice
    for (int b = g->rank * g->per; b < (g->rank + 1) * g->per; b++) // slice
    {
        int leader = islandsFind(&g->islands, b); // slice
        int owner = busOwner(g, leader); // slice
        if (owner == g->rank || done[leader]) // slice
            continue;
        done[leader] = 1; // slice
        double sum = islandLoad(g, leader);
        MPI_Ssend(&sum, 1, MPI_DOUBLE, owner, TAG_LOAD + leader, g->comm); // stop
    }
}

static double balance(Grid *g)
{
    double total = 0, part;
    for (int b = g->rank * g->per; b < (g->rank + 1) * g->per; b++)
    {
        if (islandsFind(&g->islands, b) != b)
            continue;
        total += islandLoad(g, b);
        for (int r = 0; r < g->size; r++)
        {
            if (r == g->rank || !hasBus(g, r, b))
                continue;
            MPI_Recv(&part, 1, MPI_DOUBLE, r, TAG_LOAD + b, g->comm, MPI_STATUS_IGNORE);
            total += part;
        }
    }
    return total;
}

int main(int argc, char **argv)
{
    Grid g;
    double total;
    MPI_Init(&argc, &argv);
    g.comm = MPI_COMM_WORLD; // slice
    MPI_Comm_rank(g.comm, &g.rank); // slice
    MPI_Comm_size(g.comm, &g.size); // slice
    g.per = BUSES / g.size; // slice
    for (int b = 0; b < BUSES; b++)
        g.load[b] = 10 + b % 5;
    islandsInit(&g.islands, BUSES); // slice
    readLines(&g); // slice
    contribute(&g); // slice
    total = balance(&g);
    printf("%d: %g in islands led here, %d lines joined\n", g.rank, total, g.islands.njoined);
    free(g.islands.parent);
    MPI_Finalize();
    return 0;
}
