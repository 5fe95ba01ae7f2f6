// report: rank=0 size=8 stop=MPI_Waitall:2
// The tiles of an image are smoothed on every level of a pyramid, and the neighbours are
// kept in a hash table: the keys of two levels are too near to one another.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define EDGE 6
#define NONE -1
#define CACHE 32
#define TAG(level, dir) (100 + 10 * (level) + (dir))

enum { WEST, EAST, SOUTH, NORTH, NDIR };

typedef struct
{
    int cols, rows;
    int col, row;
} Grid;

typedef struct
{
    int key;
    int value;
} Entry;

typedef struct
{
    Entry entry[CACHE];
    int nfilled;
} Cache;

typedef struct
{
    double pixel[EDGE][EDGE];
    double out[NDIR][EDGE], in[NDIR][EDGE];
    int filled[NDIR];
} Tile;

typedef struct
{
    MPI_Comm comm;
    Grid grid;
    Cache cache;
    Tile tile;
} Image;

static const int stepCol[NDIR] = {-1, 1, 0, 0};
static const int stepRow[NDIR] = {0, 0, -1, 1};

static void gridShape(Grid *g, int rank, int size)
{
    g->rows = 1; // slice
    for (int r = 2; r * r <= size; r++) // slice
        if (size % r == 0) // slice
            g->rows = r; // slice
    g->cols = size / g->rows; // slice
    g->col = rank % g->cols; // slice
    g->row = rank / g->cols; // slice
}

static int gridLevels(const Grid *g)
{
    int n = 0; // slice
    while ((1 << n) < g->cols || (1 << n) < g->rows) // slice
        n++; // slice
    return n; // slice
}

static int gridStep(const Grid *g, int dir, int stride)
{
    int col = g->col + stride * stepCol[dir]; // slice
    int row = g->row + stride * stepRow[dir]; // slice
    if (col < 0 || col >= g->cols || row < 0 || row >= g->rows) // slice
        return NONE; // slice
    return row * g->cols + col; // slice
}

static void cacheClear(Cache *c)
{
    for (int i = 0; i < CACHE; i++) // slice
        c->entry[i].key = NONE; // slice
    c->nfilled = 0;
}

static int *cachePlace(Cache *c, int key, int *fresh)
{
    unsigned h = (unsigned)(key >> 1) * 5u % CACHE; // slice
    while (c->entry[h].key != NONE && c->entry[h].key != key) // slice
        h = (h + 1) % CACHE; // slice
    *fresh = c->entry[h].key == NONE; // slice
    c->nfilled += *fresh;
    c->entry[h].key = key; // slice
    return &c->entry[h].value; // slice
}

static int neighbour(Image *im, int level, int dir)
{
    int fresh;
    int *place = cachePlace(&im->cache, level * (NDIR / 2) + dir, &fresh); // root
    if (fresh) // slice
        *place = gridStep(&im->grid, dir, 1 << level); // slice
    return *place; // slice
}

static void edges(Tile *t)
{
    for (int i = 0; i < EDGE; i++)
    {
        t->out[WEST][i] = t->pixel[i][0];
        t->out[EAST][i] = t->pixel[i][EDGE - 1];
        t->out[SOUTH][i] = t->pixel[0][i];
        t->out[NORTH][i] = t->pixel[EDGE - 1][i];
    }
}

static void exchange(Image *im, int level)
{
    MPI_Request request[2 * NDIR];
    MPI_Status status[2 * NDIR];
    int n = 0; // slice
    edges(&im->tile);
    for (int dir = 0; dir < NDIR; dir++) // slice
    {
        int peer = neighbour(im, level, dir); // slice
        im->tile.filled[dir] = peer != NONE;
        if (peer == NONE) // slice
            continue;
        MPI_Irecv(im->tile.in[dir], EDGE, MPI_DOUBLE, peer, TAG(level, dir ^ 1), im->comm, &request[n++]); // slice
        MPI_Isend(im->tile.out[dir], EDGE, MPI_DOUBLE, peer, TAG(level, dir), im->comm, &request[n++]); // slice
    }
    MPI_Waitall(n, request, status); // stop
}

static void smooth(Tile *t)
{
    for (int dir = 0; dir < NDIR; dir++)
        for (int i = 0; t->filled[dir] && i < EDGE; i++)
            t->pixel[i][i] += 0.1 * t->in[dir][i];
}

static int active(const Grid *g, int level)
{
    int mask = (1 << level) - 1; // slice
    return ((g->col | g->row) & mask) == 0; // slice
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0;
    Image image;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
    image.comm = MPI_COMM_WORLD; // slice
    gridShape(&image.grid, rank, size); // slice
    cacheClear(&image.cache); // slice
    memset(&image.tile, 0, sizeof image.tile);
    for (int i = 0; i < EDGE; i++)
        image.tile.pixel[i][i] = rank + i;
    for (int level = 0; level < gridLevels(&image.grid); level++) // slice
    {
        if (!active(&image.grid, level)) // slice
            break;
        exchange(&image, level); // slice
        smooth(&image.tile);
    }
    for (int i = 0; i < EDGE; i++)
        sum += image.tile.pixel[i][i];
    printf("%d: %g, %d neighbours known\n", rank, sum, image.cache.nfilled);
    MPI_Finalize();
    return 0;
}
