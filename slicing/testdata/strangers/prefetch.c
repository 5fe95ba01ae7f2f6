// tune: rank=2 size=3 stop=MPI_Wait:3
// Workers prefetch tiles of a survey; the requests under way are in a hash table, by their tags.
// A shadowed variable: the search returns the first slot that it looked at, and not the one where it found the tag.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

enum
{
    CAP = 8,
    EMPTY = -1,
    GONE = -2,
    TILE = 6,
    TAG_TILE = 40,
    TAG_SUM = 10,
    TAG_ACK = 60
};

typedef struct
{
    int tag;
    MPI_Request req;
    double data[TILE];
} Entry;

typedef struct
{
    Entry entry[CAP];
    int used;
} Table;

typedef struct ListNode
{
    struct ListNode *next;
} ListNode;

typedef struct
{
    int number;
    double gain;
    ListNode link;
} Job;

typedef struct
{
    MPI_Comm comm;
    int me, size;
    Table pending;
    ListNode *head, **tail;
} Worker;

/* tiles of every worker, with the gain of each */
static const char *const survey = "1:0*1.0,2*0.5,4*2.0;2:1*1.5,3*1.0,6*0.25,9*0.75;";

/* ---- hash table, open addressing ---- */
static unsigned hashTag(int tag)
{
    return (unsigned)tag * 9u % CAP; // slice
}

static void tableInit(Table *t)
{
    t->used = 0; // slice
    for (int i = 0; i < CAP; i++) // slice
        t->entry[i].tag = EMPTY; // slice
}

static Entry *tableInsert(Table *t, int tag)
{
    unsigned slot = hashTag(tag); // slice
    if (t->used == CAP) // slice
        return NULL; // slice
    while (t->entry[slot].tag >= 0) // slice
        slot = (slot + 1) % CAP; // slice
    t->used++; // slice
    t->entry[slot].tag = tag; // slice
    return &t->entry[slot]; // slice
}

static Entry *tableFind(Table *t, int tag)
{
    unsigned slot = hashTag(tag); // slice
    for (unsigned probe = 0; probe < CAP; probe++) // slice
    {
        unsigned slot = (hashTag(tag) + probe) % CAP; // root
        if (t->entry[slot].tag == EMPTY) // slice
            return NULL; // slice
        if (t->entry[slot].tag == tag) // slice
            break;
    }
    return &t->entry[slot]; // slice
}

static void tableRemove(Table *t, Entry *e)
{
    e->tag = GONE; // slice
    t->used--;
}

/* ---- jobs ---- */
static int parseSurvey(Worker *w)
{
    const char *c = survey; // slice
    while (*c) // slice
    {
        char *end;
        long rank = strtol(c, &end, 10); // slice
        c = end; // slice
        while (*c == ':' || *c == ',') // slice
        {
            Job *j = malloc(sizeof *j); // slice
            if (!j) // slice
                return 1; // slice
            j->number = (int)strtol(c + 1, &end, 10); // slice
            j->gain = strtod(end + 1, &end); // slice
            j->link.next = NULL; // slice
            c = end; // slice
            if (rank != w->me) // slice
            {
                free(j);
                continue;
            }
            *w->tail = &j->link; // slice
            w->tail = &j->link.next; // slice
        }
        c += *c == ';'; // slice
    }
    return 0; // slice
}

/* ---- requests ---- */
static int expect(Worker *w, int from, int tag)
{
    Entry *e = tableInsert(&w->pending, tag); // slice
    if (!e) // slice
        return 1; // slice
    return MPI_Irecv(e->data, TILE, MPI_DOUBLE, from, tag, w->comm, &e->req); // slice
}

static double complete(Worker *w, int tag)
{
    MPI_Status st;
    double sum = 0.0;
    Entry *e = tableFind(&w->pending, tag); // slice
    if (!e) // slice
        return 0.0;
    MPI_Wait(&e->req, &st); // stop
    for (int i = 0; i < TILE; i++)
        sum += e->data[i];
    tableRemove(&w->pending, e); // slice
    return sum;
}

static int work(Worker *w)
{
    double sum = 0.0;
    w->tail = &w->head; // slice
    tableInit(&w->pending); // slice
    if (parseSurvey(w) != 0) // slice
        return 1;
    if (expect(w, 0, TAG_ACK + w->me) != 0) // slice
        return 1;
    for (ListNode *n = w->head; n; n = n->next) // slice
        if (expect(w, 0, TAG_TILE + CONTAINER(n, Job, link)->number) != 0) // slice
            return 1;
    for (ListNode *n = w->head; n; n = n->next) // slice
    {
        Job *j = CONTAINER(n, Job, link); // slice
        sum += j->gain * complete(w, TAG_TILE + j->number); // slice
    }
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, TAG_SUM, w->comm);
    complete(w, TAG_ACK + w->me);
    return 0;
}

static int serve(Worker *w)
{
    double tile[TILE], sum, total = 0.0;
    MPI_Status st;
    static const char owner[] = "12121.2..2";
    for (int t = 0; t < 10; t++)
    {
        int to = owner[t] - '0';
        for (int i = 0; i < TILE; i++)
            tile[i] = t + 0.1 * i;
        if (to > 0 && to < w->size)
            MPI_Send(tile, TILE, MPI_DOUBLE, to, TAG_TILE + t, w->comm);
    }
    for (int r = 1; r < w->size; r++)
    {
        MPI_Recv(&sum, 1, MPI_DOUBLE, r, TAG_SUM, w->comm, &st);
        total += sum;
        MPI_Send(tile, TILE, MPI_DOUBLE, r, TAG_ACK + r, w->comm);
    }
    printf("total %g\n", total);
    return 0;
}

int main(int argc, char **argv)
{
    static Worker w;
    MPI_Init(&argc, &argv);
    w.comm = MPI_COMM_WORLD; // slice
    MPI_Comm_rank(w.comm, &w.me); // slice
    MPI_Comm_size(w.comm, &w.size);
    int rc = w.me == 0 ? serve(&w) : work(&w); // slice
    MPI_Finalize();
    return rc;
}
