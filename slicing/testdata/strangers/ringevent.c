// tune: rank=0 size=3 stop=MPI_Alltoall:4
// An ensemble run is driven by events in a ring buffer: members are transposed only while the filter is on.
// When the ring grows, its entries are copied as they lie and not from the head on: the order of events is lost.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    NROW = 12,
    NCOL = 9,
    MAXBLOCK = 48,
    PER_TICK = 2
};

typedef enum
{
    EV_ADVANCE,
    EV_TRANSPOSE,
    EV_PERTURB,
    EV_FILTER,
    EV_QUIT,
    EV_KINDS
} EventKind;

typedef enum
{
    ST_RUN,
    ST_HELD,
    ST_DONE,
    ST_STATES
} State;

typedef struct
{
    EventKind kind;
    int value;
} Event;

typedef struct
{
    Event *slot;
    unsigned cap, head, count;
} Ring;

typedef struct
{
    int tick;
    int rank; /* -1: all */
    Event event;
} Cue;

typedef struct Run
{
    MPI_Comm comm;
    int me, size;
    State state;
    Ring ring;
    double field[MAXBLOCK];
    double noise;
    int ntranspose;
} Run;

typedef State (*action_fn)(Run *run, int value);

static const Cue timeline[] = {
    {0, -1, {EV_ADVANCE, 1}},
    {0, -1, {EV_TRANSPOSE, 1}},
    {1, -1, {EV_TRANSPOSE, 2}},
    {1, -1, {EV_FILTER, 0}},
    {1, -1, {EV_TRANSPOSE, 3}},
    {1, 0, {EV_PERTURB, 3}},
    {1, 0, {EV_PERTURB, 2}},
    {2, 2, {EV_PERTURB, 1}},
    {3, -1, {EV_ADVANCE, 1}},
    {3, -1, {EV_FILTER, 1}},
    {4, -1, {EV_TRANSPOSE, 4}},
    {5, -1, {EV_QUIT, 0}},
};

/* ---- ring ---- */
static int ringGrow(Ring *r)
{
    unsigned cap = r->cap ? 2 * r->cap : 4; // slice
    Event *wider = malloc(cap * sizeof *wider); // slice
    if (!wider) // slice
        return 1; // slice
    for (unsigned i = 0; i < r->count; i++) // slice
        wider[i] = r->slot[i]; // root
    free(r->slot);
    r->slot = wider; // slice
    r->cap = cap; // slice
    r->head = 0; // slice
    return 0; // slice
}

static int ringPush(Ring *r, Event e)
{
    if (r->count == r->cap && ringGrow(r) != 0) // slice
        return 1; // slice
    r->slot[(r->head + r->count) % r->cap] = e; // slice
    r->count++; // slice
    return 0; // slice
}

static int ringPop(Ring *r, Event *e)
{
    if (r->count == 0) // slice
        return 0; // slice
    *e = r->slot[r->head]; // slice
    r->head = (r->head + 1) % r->cap; // slice
    r->count--; // slice
    return 1; // slice
}

/* ---- actions ---- */
static State doAdvance(Run *run, int value)
{
    for (int i = 0; i < MAXBLOCK; i++)
        run->field[i] += 0.125 * value + run->noise;
    return run->state; // slice
}

static State doTranspose(Run *run, int value)
{
    double turned[MAXBLOCK];
    int block = (NROW / run->size) * (NCOL / run->size); // slice
    run->noise *= value;
    MPI_Alltoall(run->field, block, MPI_DOUBLE, turned, block, MPI_DOUBLE, run->comm); // stop
    for (int i = 0; i < block * run->size; i++)
        run->field[i] = turned[i];
    run->ntranspose++;
    return run->state; // slice
}

static State doPerturb(Run *run, int value)
{
    run->noise += 0.01 * value;
    return run->state; // slice
}

static State doFilter(Run *run, int value)
{
    (void)run;
    return value ? ST_RUN : ST_HELD; // slice
}

static State doQuit(Run *run, int value)
{
    (void)run;
    (void)value;
    return ST_DONE; // slice
}

static State doNothing(Run *run, int value)
{
    (void)value;
    return run->state; // slice
}

static const action_fn actions[ST_STATES][EV_KINDS] = {
    [ST_RUN] = {doAdvance, doTranspose, doPerturb, doFilter, doQuit},
    [ST_HELD] = {doAdvance, doNothing, doNothing, doFilter, doQuit},
    [ST_DONE] = {doNothing, doNothing, doNothing, doNothing, doNothing},
};

static int listen(Run *run, int tick)
{
    for (size_t i = 0; i < sizeof timeline / sizeof timeline[0]; i++) // slice
    {
        const Cue *c = &timeline[i]; // slice
        if (c->tick == tick && (c->rank < 0 || c->rank == run->me)) // slice
            if (ringPush(&run->ring, c->event) != 0) // slice
                return 1; // slice
    }
    return 0; // slice
}

static int drive(Run *run)
{
    Event e;
    for (int tick = 0; run->state != ST_DONE; tick++) // slice
    {
        if (listen(run, tick) != 0) // slice
            return 1;
        for (int n = 0; n < PER_TICK && ringPop(&run->ring, &e); n++) // slice
            run->state = actions[run->state][e.kind](run, e.value); // slice
    }
    return 0;
}

int main(int argc, char **argv)
{
    static Run run;
    MPI_Init(&argc, &argv);
    run.comm = MPI_COMM_WORLD; // slice
    run.state = ST_RUN; // slice
    MPI_Comm_rank(run.comm, &run.me); // slice
    MPI_Comm_size(run.comm, &run.size); // slice
    int rc = drive(&run); // slice
    printf("rank %d: %d transposed, noise %g\n", run.me, run.ntranspose, run.noise);
    free(run.ring.slot);
    MPI_Finalize();
    return rc;
}
