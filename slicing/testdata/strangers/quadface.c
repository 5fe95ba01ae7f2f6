// tune: rank=1 size=3 stop=MPI_Recv:3
// Faces of a quadtree: every leaf hears of the leaves at its western face, every leaf tells those at its eastern face.
// The western face is looked for half a leaf away: a large leaf sees past small ones to leaves that do not touch it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    SIDE = 16,
    NONE = -1,
    TAG_FACE = 64
};

typedef struct
{
    int x, y, size;
    int child[4];
    int leaf;
} Node;

typedef struct
{
    Node *node;
    int n, room;
} Forest;

typedef struct
{
    int node;
    int owner;
    double value;
} Leaf;

typedef struct
{
    Forest tree;
    Leaf *leaf;
    int nleaf;
    int me, nranks;
} Grid;

typedef struct
{
    int x, y, finest;
} Focus;

static const Focus foci[] = {{7, 2, 1}, {9, 1, 4}};

/* ---- tree ---- */
static int nodeNew(Forest *f, int x, int y, int size)
{
    if (f->n == f->room) // slice
    {
        f->room = f->room ? 2 * f->room : 8; // slice
        f->node = realloc(f->node, f->room * sizeof *f->node); // slice
        if (!f->node) // slice
            exit(2);
    }
    Node *d = &f->node[f->n]; // slice
    d->x = x; // slice
    d->y = y; // slice
    d->size = size; // slice
    d->leaf = NONE; // slice
    for (int k = 0; k < 4; k++) // slice
        d->child[k] = NONE; // slice
    return f->n++; // slice
}

static int wanted(int x, int y, int size)
{
    for (size_t i = 0; i < sizeof foci / sizeof foci[0]; i++) // slice
    {
        const Focus *c = &foci[i]; // slice
        int inside = c->x >= x && c->x < x + size && c->y >= y && c->y < y + size; // slice
        if (inside && size > c->finest) // slice
            return 1; // slice
    }
    return 0; // slice
}

static int grow(Forest *f, int x, int y, int size)
{
    int id = nodeNew(f, x, y, size); // slice
    if (!wanted(x, y, size)) // slice
        return id; // slice
    int half = size / 2; // slice
    for (int k = 0; k < 4; k++) // slice
    {
        int kid = grow(f, x + k % 2 * half, y + k / 2 * half, half); // slice
        f->node[id].child[k] = kid; // slice
    }
    return id; // slice
}

static int find(const Forest *f, int x, int y)
{
    int at = 0; // slice
    while (f->node[at].leaf == NONE) // slice
    {
        const Node *d = &f->node[at]; // slice
        int east = x >= d->x + d->size / 2; // slice
        int north = y >= d->y + d->size / 2; // slice
        at = d->child[2 * north + east]; // slice
    }
    return f->node[at].leaf; // slice
}

/* ---- leaves along the curve ---- */
static void collect(Grid *g, int at)
{
    Node *d = &g->tree.node[at]; // slice
    if (d->child[0] != NONE) // slice
    {
        for (int k = 0; k < 4; k++) // slice
            collect(g, d->child[k]); // slice
        return;
    }
    d->leaf = g->nleaf++; // slice
    g->leaf[d->leaf].node = at; // slice
}

static void gridSetup(Grid *g)
{
    grow(&g->tree, 0, 0, SIDE); // slice
    g->leaf = calloc(g->tree.n, sizeof *g->leaf); // slice
    if (!g->leaf) // slice
        exit(2);
    collect(g, 0); // slice
    for (int i = 0; i < g->nleaf; i++) // slice
    {
        g->leaf[i].owner = i * g->nranks / g->nleaf; // slice
        g->leaf[i].value = 1.0 + i;
    }
}

/* ---- faces ---- */
static void tellEast(const Grid *g, int a)
{
    const Node *d = &g->tree.node[g->leaf[a].node];
    int last = NONE;
    if (d->x + d->size == SIDE)
        return;
    for (int y = d->y; y < d->y + d->size; y++)
    {
        int b = find(&g->tree, d->x + d->size, y);
        if (b != last && g->leaf[b].owner != g->me)
            MPI_Send(&g->leaf[a].value, 1, MPI_DOUBLE, g->leaf[b].owner, TAG_FACE * a + b, MPI_COMM_WORLD);
        last = b;
    }
}

static double hearWest(const Grid *g, int b)
{
    const Node *d = &g->tree.node[g->leaf[b].node]; // slice
    double sum = 0.0, value;
    int last = NONE; // slice
    MPI_Status st;
    if (d->x == 0) // slice
        return 0.0;
    int x = d->x - (d->size + 1) / 2; // root
    for (int y = d->y; y < d->y + d->size; y++) // slice
    {
        int a = find(&g->tree, x, y); // slice
        if (a == last) // slice
            continue;
        last = a; // slice
        value = g->leaf[a].value;
        if (g->leaf[a].owner != g->me) // slice
            MPI_Recv(&value, 1, MPI_DOUBLE, g->leaf[a].owner, TAG_FACE * a + b, MPI_COMM_WORLD, &st); // stop
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static Grid grid;
    double flux = 0.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &grid.me); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &grid.nranks); // slice
    gridSetup(&grid); // slice
    for (int i = 0; i < grid.nleaf; i++)
        if (grid.leaf[i].owner == grid.me)
            tellEast(&grid, i);
    for (int i = 0; i < grid.nleaf; i++) // slice
        if (grid.leaf[i].owner == grid.me) // slice
            flux += hearWest(&grid, i); // slice
    printf("rank %d of %d leaves: flux %g\n", grid.me, grid.nleaf, flux);
    free(grid.leaf);
    free(grid.tree.node);
    MPI_Finalize();
    return 0;
}
