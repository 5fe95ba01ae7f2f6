// tune: rank=0 size=4 stop=MPI_Recv:2
// The keys of an input deck are registered with a function and the place that it
// fills: one key fills the place of another, and the last line of the deck wins.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*deck_fn)(const char *text, void *context);

typedef struct
{
    char name[24];
    deck_fn fn;
    void *context;
} DeckKey;

typedef struct
{
    DeckKey *keys;
    int nkeys, room;
    int nread, nunknown;
} Deck;

typedef struct
{
    int groups;
    int members;
    int window;
    double timeout;
    char prefix[32];
} IoOptions;

static char deckText[] =
    "! output of the shelf run\n"
    "io.prefix = shelf\n"
    "io.groups = 2\n"
    "io.members = 2\n"
    "io.timeout = 4.5\n"
    "io.window = 4\n"
    "plot.every = 10\n";

static int readInt(const char *text, void *context)
{
    char *end;
    long v = strtol(text, &end, 10); // slice
    if (end == text) // slice
        return 1;
    *(int *)context = (int)v; // slice
    return 0;
}

static int readReal(const char *text, void *context)
{
    return sscanf(text, "%lf", (double *)context) == 1 ? 0 : 1;
}

static int readWord(const char *text, void *context)
{
    return sscanf(text, "%31s", (char *)context) == 1 ? 0 : 1;
}

static void deckKey(Deck *d, const char *name, deck_fn fn, void *context)
{
    if (d->nkeys == d->room) // slice
    {
        d->room += 3; // slice
        d->keys = realloc(d->keys, d->room * sizeof *d->keys); // slice
        if (!d->keys) // slice
            exit(2);
    }
    DeckKey *k = &d->keys[d->nkeys++]; // slice
    snprintf(k->name, sizeof k->name, "%s", name); // slice
    k->fn = fn; // slice
    k->context = context; // slice
}

static int deckLine(Deck *d, const char *line)
{
    char name[24], text[48];
    if (sscanf(line, " %23[^= ] = %47[^\n]", name, text) != 2) // slice
        return 0;
    for (int i = 0; i < d->nkeys; i++) // slice
        if (strcmp(d->keys[i].name, name) == 0) // slice
        {
            d->nread++;
            return d->keys[i].fn(text, d->keys[i].context); // slice
        }
    d->nunknown++;
    return 0;
}

static int deckRead(Deck *d, char *text)
{
    int bad = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) // slice
        if (line[0] != '!') // slice
            bad += deckLine(d, line); // slice
    return bad;
}

static void ioKeys(Deck *d, IoOptions *io)
{
    deckKey(d, "io.groups", readInt, &io->groups); // slice
    deckKey(d, "io.members", readInt, &io->members); // slice
    deckKey(d, "io.window", readInt, &io->members); // root
    deckKey(d, "io.timeout", readReal, &io->timeout); // slice
    deckKey(d, "io.prefix", readWord, io->prefix); // slice
}

/* The first ranks gather, every one from those of its own remainder. */
static double ioGather(const IoOptions *io, int rank, int size, double mine)
{
    double sum = mine, other[1];
    int colour = rank % io->groups; // slice
    MPI_Status st;
    if (rank != colour) // slice
    {
        MPI_Send(&mine, 1, MPI_DOUBLE, colour, 300 + rank, MPI_COMM_WORLD);
        return mine;
    }
    for (int m = 1; m < io->members; m++) // slice
    {
        int from = (colour + m * io->groups) % size; // slice
        MPI_Recv(other, 1, MPI_DOUBLE, from, 300 + from, MPI_COMM_WORLD, &st); // stop
        sum += other[0];
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    Deck deck = {0}; // slice
    IoOptions io = {1, 1, 8, 1.0, "out"}; // slice
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
    ioKeys(&deck, &io); // slice
    int bad = deckRead(&deck, deckText); // slice
    if (bad && rank == 0)
        fprintf(stderr, "%d lines of the deck cannot be read\n", bad);
    double sum = ioGather(&io, rank, size, rank + io.timeout / io.window); // slice
    printf("%s: %g, %d unknown\n", io.prefix, sum, deck.nunknown);
    free(deck.keys);
    MPI_Finalize();
    return 0;
}
