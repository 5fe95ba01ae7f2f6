// tune: rank=3 size=4 stop=MPI_Probe:6
// A checkpoint: dirty pages are bits of a map, and every run of bits is a message to the writer, which has the map too.
// The writer asks if the bit before a word is one, but gets a mask: it counts a run over two words twice.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS 32u
#define WORD(p) ((p) / BITS)
#define MASK(p) (UINT32_C(1) << ((p) % BITS))

enum
{
    NPAGE = 96,
    NWORD = NPAGE / 32,
    PAGE = 4,
    MAXCLIENT = 8,
    TAG_RUN = 900
};

typedef struct
{
    uint32_t word[NWORD];
} Bitmap;

typedef struct
{
    int client;
    unsigned first, count;
} Update;

typedef struct
{
    int client;
    int nrun;
    long pages;
} Shard;

typedef struct
{
    Shard shard[MAXCLIENT];
    int n;
} Plan;

typedef struct
{
    MPI_Comm comm;
    int me, size, writer;
    double store[NPAGE * PAGE];
} Io;

static const Update history[] = {
    {0, 3, 5}, {1, 27, 9}, {2, 64, 6}, {1, 40, 2}, {0, 6, 4}, {2, 0, 1}, {1, 33, 4}};

/* ---- the map ---- */
static uint32_t bitGet(const Bitmap *b, unsigned p)
{
    return b->word[WORD(p)] & MASK(p); // slice
}

static void bitSet(Bitmap *b, unsigned p)
{
    b->word[WORD(p)] |= MASK(p); // slice
}

static void mapFill(Bitmap *b, int client)
{
    memset(b, 0, sizeof *b); // slice
    for (size_t i = 0; i < sizeof history / sizeof history[0]; i++) // slice
    {
        const Update *u = &history[i]; // slice
        if (u->client != client) // slice
            continue;
        for (unsigned p = u->first; p < u->first + u->count && p < NPAGE; p++) // slice
            bitSet(b, p); // slice
    }
}

/* A run starts at every bit that has none before it. */
static int mapRuns(const Bitmap *b)
{
    int runs = 0; // slice
    for (unsigned w = 0; w < NWORD; w++) // slice
    {
        uint32_t carry = 0; // slice
        if (w > 0) // slice
            carry = bitGet(b, w * BITS - 1) == 1; // root
        uint32_t starts = b->word[w] & ~(b->word[w] << 1 | carry); // slice
        for (; starts; starts &= starts - 1) // slice
            runs++; // slice
    }
    return runs; // slice
}

static long mapCount(const Bitmap *b)
{
    long n = 0;
    for (unsigned p = 0; p < NPAGE; p++)
        n += bitGet(b, p) != 0;
    return n;
}

/* ---- what the writer expects: the clients with few runs come first ---- */
static int fewerRuns(const void *a, const void *b)
{
    const Shard *x = a; // slice
    const Shard *y = b; // slice
    if (x->nrun != y->nrun) // slice
        return x->nrun - y->nrun; // slice
    return x->client - y->client; // slice
}

static void planBuild(Plan *plan, const Io *io)
{
    plan->n = 0; // slice
    for (int c = 0; c < io->size; c++) // slice
    {
        Bitmap map;
        if (c == io->writer) // slice
            continue;
        mapFill(&map, c); // slice
        Shard *s = &plan->shard[plan->n++]; // slice
        s->client = c; // slice
        s->nrun = mapRuns(&map); // slice
        s->pages = mapCount(&map);
    }
    qsort(plan->shard, plan->n, sizeof plan->shard[0], fewerRuns); // slice
}

/* ---- messages ---- */
static int takeRun(Io *io, int client)
{
    MPI_Status st;
    int words;
    MPI_Probe(client, TAG_RUN + client, io->comm, &st); // stop
    MPI_Get_count(&st, MPI_DOUBLE, &words);
    MPI_Recv(io->store, words, MPI_DOUBLE, client, TAG_RUN + client, io->comm, &st);
    return words / PAGE;
}

static long writerRun(Io *io)
{
    Plan plan;
    long missing = 0;
    planBuild(&plan, io); // slice
    for (const Shard *s = plan.shard; s < plan.shard + plan.n; s++) // slice
    {
        long pages = 0;
        for (int r = 0; r < s->nrun; r++) // slice
            pages += takeRun(io, s->client); // slice
        missing += s->pages - pages;
    }
    return missing;
}

static void clientRun(Io *io)
{
    Bitmap map;
    mapFill(&map, io->me);
    for (unsigned p = 0; p < NPAGE; p++)
    {
        unsigned first = p;
        while (p < NPAGE && bitGet(&map, p))
            p++;
        if (p > first)
            MPI_Send(io->store + first * PAGE, (int)(p - first) * PAGE, MPI_DOUBLE, io->writer, TAG_RUN + io->me, io->comm);
    }
}

int main(int argc, char **argv)
{
    static Io io;
    MPI_Init(&argc, &argv);
    io.comm = MPI_COMM_WORLD; // slice
    MPI_Comm_rank(io.comm, &io.me); // slice
    MPI_Comm_size(io.comm, &io.size); // slice
    io.writer = io.size - 1; // slice
    if (io.size > MAXCLIENT) // slice
    {
        fprintf(stderr, "too many clients\n");
        goto done;
    }
    if (io.me == io.writer) // slice
        printf("%ld pages are missing\n", writerRun(&io)); // slice
    else
        clientRun(&io);
done:
    MPI_Finalize();
    return 0;
}
