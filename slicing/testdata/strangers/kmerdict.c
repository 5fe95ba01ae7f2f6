// report: rank=1 size=3 stop=MPI_Bcast:2
// A dictionary of words of bases is kept by everyone, its own section first, and a word that
// nobody knows is asked of its owner: an erased place ends the search for what lies behind it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 16
#define KMER 3

enum { EMPTY, USED, GONE };

typedef struct
{
    int state;
    int code;
    int count;
} Place;

typedef struct
{
    Place *places;
    int nplaces, nused;
} Dict;

typedef void (*word_fn)(void *context, int code);

typedef struct
{
    MPI_Comm comm;
    int rank, size;
    Dict dict;
    int hits, asked;
} Assembler;

static const char *const sections[] = {"ACG TTA GAC", "TCG CTT AAA", "GGA CAT TAG"};
static const char masked[] = "TCG GGA";
static const char queries[] = "CAT GTC ACG TTA GTC";

static int base(char c)
{
    switch (c) // slice
    {
    case 'A':
        return 0; // slice
    case 'C':
        return 1; // slice
    case 'G':
        return 2; // slice
    default:
        return 3; // slice
    }
}

/* Every word of a text is handed to a function. */
static void words(const char *text, word_fn fn, void *context)
{
    int code = 0; // slice
    int length = 0; // slice
    for (const char *p = text; *p; p++) // slice
    {
        if (*p == ' ') // slice
            continue;
        code = 4 * code + base(*p); // slice
        if (++length == KMER) // slice
        {
            fn(context, code); // slice
            code = 0; // slice
            length = 0; // slice
        }
    }
}

static int dictInit(Dict *d, int nplaces)
{
    d->nplaces = nplaces; // slice
    d->nused = 0;
    d->places = calloc(nplaces, sizeof *d->places); // slice
    return d->places != NULL; // slice
}

static Place *dictFind(Dict *d, int code)
{
    int h = code % d->nplaces; // slice
    while (d->places[h].state != EMPTY) // slice
    {
        if (d->places[h].state == USED && d->places[h].code == code) // slice
            return &d->places[h]; // slice
        h = (h + 1) % d->nplaces; // slice
    }
    return NULL; // slice
}

static void dictAdd(Dict *d, int code, int count)
{
    int h = code % d->nplaces; // slice
    Place *p = dictFind(d, code); // slice
    if (p) // slice
    {
        p->count += count;
        return;
    }
    while (d->places[h].state == USED) // slice
        h = (h + 1) % d->nplaces; // slice
    d->places[h].state = USED; // slice
    d->places[h].code = code; // slice
    d->places[h].count = count;
    d->nused++;
}

static void dictErase(Dict *d, int code)
{
    Place *p = dictFind(d, code); // slice
    if (!p) // slice
        return;
    p->state = EMPTY; // root
    d->nused--;
}

static void takeWord(void *context, int code)
{
    Assembler *a = context; // slice
    dictAdd(&a->dict, code, 1); // slice
}

static void maskWord(void *context, int code)
{
    Assembler *a = context; // slice
    dictErase(&a->dict, code); // slice
}

static void queryWord(void *context, int code)
{
    Assembler *a = context; // slice
    int owner = code % a->size; // slice
    int answer = a->rank == owner ? code / 2 : 0;
    if (dictFind(&a->dict, code)) // slice
    {
        a->hits++;
        return;
    }
    MPI_Bcast(&answer, 1, MPI_INT, owner, a->comm); // stop
    a->asked++;
    dictAdd(&a->dict, code, answer); // slice
}

int main(int argc, char **argv)
{
    Assembler a = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &a.comm); // slice
    MPI_Comm_rank(a.comm, &a.rank); // slice
    MPI_Comm_size(a.comm, &a.size); // slice
    if (!dictInit(&a.dict, PLACES)) // slice
        return 2;
    for (int s = 0; s < a.size; s++) // slice
        words(sections[(a.rank + s) % 3], takeWord, &a); // slice
    words(masked, maskWord, &a); // slice
    words(queries, queryWord, &a); // slice
    printf("%d: %d words, %d hits, %d asked\n", a.rank, a.dict.nused, a.hits, a.asked);
    free(a.dict.places);
    MPI_Comm_free(&a.comm);
    MPI_Finalize();
    return 0;
}
