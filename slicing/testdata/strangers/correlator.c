// report: rank=0 size=4 stop=MPI_Wait:5
// A correlator takes the chunks of its stations through slots in lists linked by numbers,
// a chunk per credit: what is appended to a list that has run empty is lost.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 4
#define MAXSLOTS 6
#define TAG_CHUNK 10
#define TAG_CREDIT 80
#define TAG_TRAILER 90

typedef struct
{
    int head, tail, length;
} List;

typedef struct
{
    int next;
    int chunk;
    MPI_Request request;
    double samples[SAMPLES];
} Slot;

typedef struct
{
    int rank;
    int nchunks, posted, taken;
    int closed;
    List pending;
    MPI_Request trailer;
    double noise;
} Station;

typedef struct
{
    MPI_Comm comm;
    Slot slots[MAXSLOTS];
    List unused;
    Station *stations;
    int nstations, nopen;
    double power;
} Correlator;

static void listInit(List *l)
{
    l->head = -1; // slice
    l->tail = -1; // slice
    l->length = 0;
}

static void listAppend(Slot *slots, List *l, int s)
{
    slots[s].next = -1; // slice
    if (l->tail < 0) // root
        l->head = s; // slice
    else
        slots[l->tail].next = s; // slice
    l->tail = s; // slice
    l->length++;
}

static int listPop(Slot *slots, List *l)
{
    int s = l->head; // slice
    if (s >= 0) // slice
    {
        l->head = slots[s].next; // slice
        l->length--;
    }
    return s; // slice
}

static int chunksOf(int station)
{
    return 2 * (station - 1); // slice
}

static int depthOf(int station)
{
    return station % 2 ? 1 : 2; // slice
}

static void post(Correlator *c, Station *st)
{
    if (st->posted == st->nchunks) // slice
        return;
    int s = listPop(c->slots, &c->unused); // slice
    if (s < 0) // slice
        return;
    Slot *slot = &c->slots[s];
    slot->chunk = st->posted;
    st->posted++; // slice
    MPI_Irecv(slot->samples, SAMPLES, MPI_DOUBLE, st->rank, TAG_CHUNK + slot->chunk, c->comm, &slot->request);
    listAppend(c->slots, &st->pending, s); // slice
}

static void openStation(Correlator *c, Station *st, int rank)
{
    st->rank = rank; // slice
    st->nchunks = chunksOf(rank); // slice
    st->posted = 0; // slice
    st->taken = 0;
    st->closed = 0; // slice
    listInit(&st->pending); // slice
    MPI_Irecv(&st->noise, 1, MPI_DOUBLE, rank, TAG_TRAILER, c->comm, &st->trailer); // slice
    for (int d = 0; d < depthOf(rank); d++) // slice
        post(c, st); // slice
    c->nopen++; // slice
}

static void closeStation(Correlator *c, Station *st)
{
    MPI_Wait(&st->trailer, MPI_STATUS_IGNORE); // stop
    c->power -= st->noise;
    st->closed = 1; // slice
    c->nopen--; // slice
}

static void step(Correlator *c, Station *st)
{
    int s = listPop(c->slots, &st->pending); // slice
    if (s < 0) // slice
    {
        closeStation(c, st); // slice
        return;
    }
    Slot *slot = &c->slots[s];
    MPI_Wait(&slot->request, MPI_STATUS_IGNORE);
    for (int i = 0; i < SAMPLES; i++)
        c->power += slot->samples[i] * slot->samples[i];
    st->taken++;
    MPI_Send(&st->taken, 1, MPI_INT, st->rank, TAG_CREDIT, c->comm);
    listAppend(c->slots, &c->unused, s); // slice
    post(c, st); // slice
}

static void correlate(MPI_Comm comm, int nstations)
{
    Correlator c;
    c.comm = comm; // slice
    c.nstations = nstations; // slice
    c.nopen = 0; // slice
    c.power = 0;
    c.stations = calloc(nstations, sizeof *c.stations); // slice
    listInit(&c.unused); // slice
    for (int s = 0; s < MAXSLOTS; s++) // slice
        listAppend(c.slots, &c.unused, s); // slice
    for (int i = 0; i < nstations; i++) // slice
        openStation(&c, &c.stations[i], i + 1); // slice
    while (c.nopen > 0) // slice
        for (int i = 0; i < c.nstations; i++) // slice
            if (!c.stations[i].closed) // slice
                step(&c, &c.stations[i]); // slice
    printf("power %g\n", c.power);
    free(c.stations);
}

static void observe(MPI_Comm comm, int rank)
{
    double samples[SAMPLES], noise = 0.5 * rank;
    int taken;
    for (int k = 0; k < chunksOf(rank); k++)
    {
        for (int i = 0; i < SAMPLES; i++)
            samples[i] = rank + 0.1 * (i - k);
        MPI_Send(samples, SAMPLES, MPI_DOUBLE, 0, TAG_CHUNK + k, comm);
        MPI_Recv(&taken, 1, MPI_INT, 0, TAG_CREDIT, comm, MPI_STATUS_IGNORE);
    }
    MPI_Send(&noise, 1, MPI_DOUBLE, 0, TAG_TRAILER, comm);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
    if (rank == 0) // slice
        correlate(MPI_COMM_WORLD, size - 1); // slice
    else
        observe(MPI_COMM_WORLD, rank);
    MPI_Finalize();
    return 0;
}
