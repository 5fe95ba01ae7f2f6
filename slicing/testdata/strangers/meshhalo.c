// tune: rank=1 size=4 stop=MPI_Waitall:1
// Halos of an ocean mesh: the graph of the wet cells (CSR) tells who exchanges with whom.
// The graph asks for the land under the wrong end of an edge, so a dry shore counts as a partner.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    NX = 8,
    NY = 6,
    NCELL = NX * NY,
    MAXPART = 4,
    LANE = 64
};

static const char *const chart[NY] = {
    "#......#",
    ".......#",
    "........",
    "...#####",
    "..##..##",
    "........"};

typedef struct
{
    int n;
    int *row;
    int *col;
} Csr;

typedef struct
{
    unsigned char land[NCELL];
    short part[NCELL];
    double height[NCELL];
} Mesh;

typedef struct
{
    int peer;
    int ncell;
    int cell[NCELL];
} Link;

typedef struct
{
    MPI_Comm comm;
    int npending;
    MPI_Request pending[MAXPART];
    double inbox[MAXPART][NCELL];
    double outbox[NCELL];
} Courier;

typedef void (*edge_fn)(void *context, int from, int to);

/* ---- the mesh ---- */
static void meshSetup(Mesh *m)
{
    for (int y = 0; y < NY; y++) // slice
        for (int x = 0; x < NX; x++) // slice
        {
            int c = y * NX + x; // slice
            m->land[c] = chart[y][x] == '#'; // slice
            m->part[c] = (short)(2 * (y >= NY / 2) + (x >= NX / 2)); // slice
            m->height[c] = m->land[c] ? 0.0 : 0.25 * x - 0.5 * y;
        }
}

static void meshEdges(const Mesh *m, edge_fn fn, void *context)
{
    static const int dx[4] = {1, 0, -1, 0};
    static const int dy[4] = {0, 1, 0, -1};
    for (int c = 0; c < NCELL; c++) // slice
    {
        if (m->land[c]) // slice
            continue;
        for (int k = 0; k < 4; k++) // slice
        {
            int x = c % NX + dx[k]; // slice
            int y = c / NX + dy[k]; // slice
            if (x < 0 || x >= NX || y < 0 || y >= NY) // slice
                continue;
            int other = y * NX + x; // slice
            if (m->land[c]) // root
                continue;
            fn(context, c, other); // slice
        }
    }
}

/* ---- the graph ---- */
static void countEdge(void *context, int from, int to)
{
    Csr *g = context; // slice
    (void)to;
    g->row[from + 1]++; // slice
}

static void storeEdge(void *context, int from, int to)
{
    Csr *g = context; // slice
    g->col[g->row[from]++] = to; // slice
}

static int csrBuild(Csr *g, const Mesh *m)
{
    g->n = NCELL; // slice
    g->row = calloc(g->n + 1, sizeof *g->row); // slice
    if (!g->row) // slice
        return 1; // slice
    meshEdges(m, countEdge, g); // slice
    for (int c = 0; c < g->n; c++) // slice
        g->row[c + 1] += g->row[c]; // slice
    g->col = malloc((g->row[g->n] + 1) * sizeof *g->col); // slice
    if (!g->col) // slice
        return 1; // slice
    meshEdges(m, storeEdge, g); // slice
    memmove(g->row + 1, g->row, g->n * sizeof *g->row); // slice
    g->row[0] = 0; // slice
    return 0; // slice
}

/* ---- who has to be heard ---- */
static Link *linkFor(Link *links, int *nlinks, int peer)
{
    for (int l = 0; l < *nlinks; l++) // slice
        if (links[l].peer == peer) // slice
            return &links[l];
    Link *fresh = &links[(*nlinks)++]; // slice
    fresh->peer = peer; // slice
    fresh->ncell = 0;
    return fresh;
}

static int linksBuild(Link *links, const Csr *g, const Mesh *m, int me)
{
    int nlinks = 0; // slice
    for (int c = 0; c < g->n; c++) // slice
    {
        if (m->part[c] != me) // slice
            continue;
        for (int e = g->row[c]; e < g->row[c + 1]; e++) // slice
        {
            int peer = m->part[g->col[e]]; // slice
            if (peer == me) // slice
                continue;
            Link *l = linkFor(links, &nlinks, peer); // slice
            l->cell[l->ncell++] = c;
        }
    }
    return nlinks; // slice
}

/* ---- messages ---- */
static void courierListen(Courier *q, const Link *l)
{
    int slot = q->npending++; // slice
    MPI_Irecv(q->inbox[slot], NCELL, MPI_DOUBLE, l->peer, LANE + l->peer, q->comm, &q->pending[slot]); // slice
}

static void courierTell(Courier *q, const Link *l, const double *field, int me)
{
    for (int i = 0; i < l->ncell; i++)
        q->outbox[i] = field[l->cell[i]];
    MPI_Send(q->outbox, l->ncell, MPI_DOUBLE, l->peer, LANE + me, q->comm);
}

static void courierFinish(Courier *q)
{
    MPI_Status done[MAXPART];
    MPI_Waitall(q->npending, q->pending, done); // stop
    q->npending = 0;
}

int main(int argc, char **argv)
{
    static Mesh mesh;
    static Link links[MAXPART];
    static Courier courier;
    Csr graph = {0, NULL, NULL};
    int me, rc = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &courier.comm); // slice
    MPI_Comm_rank(courier.comm, &me); // slice
    meshSetup(&mesh); // slice
    rc = csrBuild(&graph, &mesh); // slice
    if (rc != 0) // slice
        goto cleanup;
    int nlinks = linksBuild(links, &graph, &mesh, me); // slice
    for (int l = 0; l < nlinks; l++) // slice
        courierListen(&courier, &links[l]); // slice
    for (int l = 0; l < nlinks; l++)
        courierTell(&courier, &links[l], mesh.height, me);
    courierFinish(&courier); // slice
    printf("rank %d: %d partners, %d edges\n", me, nlinks, graph.row[graph.n]);
cleanup:
    free(graph.col);
    free(graph.row);
    MPI_Comm_free(&courier.comm);
    MPI_Finalize();
    return rc;
}
