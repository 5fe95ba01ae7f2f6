// report: rank=2 size=3 stop=MPI_Recv:3
// Rows of a triangular system are solved level by level, the unknowns of others come once:
// the bitmap of what has come is written with another mask than it is read with.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 48
#define TAG_X 500

typedef struct
{
    int rank, nranks;
    int per;
} Layout;

typedef struct
{
    int first, nrows;
    int *ptr, *col;
    double *val;
} Csr;

typedef struct
{
    int nlevels;
    int *level, *order;
} Schedule;

typedef struct
{
    MPI_Comm comm;
    const Layout *layout;
    unsigned *have;
    int nfetched;
    double *x;
} Importer;

static int ownerOf(const Layout *l, int row)
{
    return row / l->per; // slice
}

/* The columns of a row that lie below the diagonal. */
static int pattern(int row, int *cols)
{
    int n = 0; // slice
    if (row >= 2) // slice
        cols[n++] = row / 2; // slice
    if (row >= 3 && row - 3 != row / 2) // slice
        cols[n++] = row - 3; // slice
    return n; // slice
}

static void csrBuild(Csr *a, const Layout *l)
{
    int cols[4];
    a->first = l->rank * l->per; // slice
    a->nrows = l->per; // slice
    a->ptr = calloc(a->nrows + 1, sizeof *a->ptr); // slice
    a->col = malloc(4 * a->nrows * sizeof *a->col); // slice
    a->val = malloc(4 * a->nrows * sizeof *a->val);
    for (int i = 0; i < a->nrows; i++) // slice
    {
        int n = pattern(a->first + i, cols); // slice
        a->ptr[i + 1] = a->ptr[i] + n; // slice
        for (int k = 0; k < n; k++) // slice
        {
            a->col[a->ptr[i] + k] = cols[k]; // slice
            a->val[a->ptr[i] + k] = 0.25 / (k + 1);
        }
    }
}

static void scheduleBuild(Schedule *s, const Csr *a)
{
    int done = 0; // slice
    s->level = calloc(ROWS, sizeof *s->level); // slice
    s->order = calloc(ROWS, sizeof *s->order); // slice
    s->nlevels = 1; // slice
    for (int i = 0; i < a->nrows; i++) // slice
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) // slice
        {
            int c = a->col[k] - a->first; // slice
            if (c >= 0 && s->level[c] >= s->level[i]) // slice
                s->level[i] = s->level[c] + 1; // slice
            if (s->level[i] >= s->nlevels) // slice
                s->nlevels = s->level[i] + 1; // slice
        }
    for (int l = 0; l < s->nlevels; l++) // slice
        for (int i = 0; i < a->nrows; i++) // slice
            if (s->level[i] == l) // slice
                s->order[done++] = i; // slice
}

static int importHas(const Importer *im, int c)
{
    return (im->have[c >> 5] >> (c & 31)) & 1u; // slice
}

static void importMark(Importer *im, int c)
{
    im->have[c >> 5] |= 1u << (c & 15); // root
    im->nfetched++;
}

static double importGet(Importer *im, int c)
{
    int from = ownerOf(im->layout, c); // slice
    if (from == im->layout->rank || importHas(im, c)) // slice
        return im->x[c];
    MPI_Recv(&im->x[c], 1, MPI_DOUBLE, from, TAG_X + c, im->comm, MPI_STATUS_IGNORE); // stop
    importMark(im, c); // slice
    return im->x[c];
}

/* An unknown goes once to everyone who has a row with its column. */
static void exportValue(const Importer *im, int row)
{
    const Layout *l = im->layout;
    int cols[4];
    for (int r = l->rank + 1; r < l->nranks; r++)
    {
        int wanted = 0;
        for (int i = r * l->per; i < (r + 1) * l->per; i++)
            for (int k = pattern(i, cols) - 1; k >= 0; k--)
                wanted |= cols[k] == row;
        if (wanted)
            MPI_Send(&im->x[row], 1, MPI_DOUBLE, r, TAG_X + row, im->comm);
    }
}

static void solve(const Csr *a, const Schedule *s, Importer *im)
{
    for (int o = 0; o < a->nrows; o++) // slice
    {
        int i = s->order[o]; // slice
        double sum = 1.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) // slice
            sum -= a->val[k] * importGet(im, a->col[k]); // slice
        im->x[a->first + i] = sum;
        exportValue(im, a->first + i);
    }
}

int main(int argc, char **argv)
{
    Layout layout;
    Csr lower;
    Schedule schedule;
    Importer import;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &layout.rank); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &layout.nranks); // slice
    layout.per = ROWS / layout.nranks; // slice
    csrBuild(&lower, &layout); // slice
    scheduleBuild(&schedule, &lower); // slice
    import.comm = MPI_COMM_WORLD; // slice
    import.layout = &layout; // slice
    import.have = calloc(ROWS / 32 + 1, sizeof *import.have); // slice
    import.nfetched = 0;
    import.x = calloc(ROWS, sizeof *import.x);
    solve(&lower, &schedule, &import); // slice
    printf("%d: %d levels, %d fetched, %g\n", layout.rank, schedule.nlevels, import.nfetched,
           import.x[lower.first + lower.nrows - 1]);
    free(lower.ptr);
    free(lower.col);
    free(lower.val);
    free(schedule.level);
    free(schedule.order);
    free(import.have);
    free(import.x);
    MPI_Finalize();
    return 0;
}
