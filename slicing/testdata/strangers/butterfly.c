// tune: rank=1 size=6 stop=MPI_Sendrecv:2
// Sums over the ranks by a butterfly of an own library; its plans are made once, are kept, and are run by handle.
// With a number of ranks that is no power of two, the rank behind the folded ones is mapped as if it were folded.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)          \
    do                       \
    {                        \
        int err_ = (call);   \
        if (err_ != 0)       \
            return err_;     \
    } while (0)

enum
{
    MAXPLAN = 4,
    MAXVALUE = 4,
    TAG_BASE = 20
};

typedef enum
{
    STEP_SEND,
    STEP_RECV,
    STEP_SWAP,
    STEP_KINDS
} StepKind;

/* a structure of arrays: the steps of this rank in one plan */
typedef struct
{
    int nstep, room;
    StepKind *kind;
    int *peer;
    int *tag;
} Plan;

typedef struct
{
    MPI_Comm comm;
    int me, size;
    Plan plan[MAXPLAN];
    int key[MAXPLAN];
    int nplan;
} Library;

typedef struct
{
    const Library *lib;
    double *value;
    int n;
} Job;

typedef void (*step_fn)(const Job *job, int peer, int tag);

/* ---- plans ---- */
static int planStep(Plan *p, StepKind kind, int peer, int tag)
{
    if (p->nstep == p->room) // slice
    {
        p->room += 4; // slice
        p->kind = realloc(p->kind, p->room * sizeof *p->kind); // slice
        p->peer = realloc(p->peer, p->room * sizeof *p->peer); // slice
        p->tag = realloc(p->tag, p->room * sizeof *p->tag); // slice
        if (!p->kind || !p->peer || !p->tag) // slice
            return 3; // slice
    }
    p->kind[p->nstep] = kind; // slice
    p->peer[p->nstep] = peer; // slice
    p->tag[p->nstep] = tag; // slice
    p->nstep++; // slice
    return 0; // slice
}

static int foldedRank(int member, int rest)
{
    return member <= rest ? 2 * member + 1 : member + rest; // root
}

static int planSum(Plan *p, int me, int size)
{
    int power = 1; // slice
    while (2 * power <= size) // slice
        power *= 2; // slice
    int rest = size - power; // slice
    int member = me - rest; // slice
    if (me < 2 * rest) // slice
    {
        if (me % 2 == 0) // slice
        {
            CHECK(planStep(p, STEP_SEND, me + 1, TAG_BASE)); // slice
            return planStep(p, STEP_RECV, me + 1, TAG_BASE - 1); // slice
        }
        CHECK(planStep(p, STEP_RECV, me - 1, TAG_BASE)); // slice
        member = me / 2; // slice
    }
    for (int mask = 1, round = 1; mask < power; mask *= 2, round++) // slice
        CHECK(planStep(p, STEP_SWAP, foldedRank(member ^ mask, rest), TAG_BASE + round)); // slice
    if (me < 2 * rest) // slice
        return planStep(p, STEP_SEND, me - 1, TAG_BASE - 1); // slice
    return 0; // slice
}

/* A handle, or a negative number. */
static int libPlan(Library *lib, int group)
{
    for (int h = 0; h < lib->nplan; h++) // slice
        if (lib->key[h] == group) // slice
            return h; // slice
    if (lib->nplan == MAXPLAN) // slice
        return -1; // slice
    if (planSum(&lib->plan[lib->nplan], lib->me, group) != 0) // slice
        return -1; // slice
    lib->key[lib->nplan] = group; // slice
    return lib->nplan++; // slice
}

/* ---- steps ---- */
static void addTo(const Job *job, const double *other)
{
    for (int i = 0; i < job->n; i++)
        job->value[i] += other[i];
}

static void stepSend(const Job *job, int peer, int tag)
{
    MPI_Send(job->value, job->n, MPI_DOUBLE, peer, tag, job->lib->comm);
}

static void stepRecv(const Job *job, int peer, int tag)
{
    double other[MAXVALUE];
    MPI_Status st;
    MPI_Recv(other, job->n, MPI_DOUBLE, peer, tag, job->lib->comm, &st);
    if (tag == TAG_BASE)
        addTo(job, other);
    else
        for (int i = 0; i < job->n; i++)
            job->value[i] = other[i];
}

static void stepSwap(const Job *job, int peer, int tag)
{
    double mine[MAXVALUE], other[MAXVALUE];
    MPI_Status st;
    for (int i = 0; i < job->n; i++)
        mine[i] = job->value[i];
    MPI_Sendrecv(mine, job->n, MPI_DOUBLE, peer, tag, other, job->n, MPI_DOUBLE, peer, tag, job->lib->comm, &st); // stop
    addTo(job, other);
}

static const step_fn steps[STEP_KINDS] = {stepSend, stepRecv, stepSwap};

static int libRun(const Library *lib, int handle, double *value, int n)
{
    Job job = {lib, value, n}; // slice
    if (handle < 0 || handle >= lib->nplan) // slice
        return 4;
    const Plan *p = &lib->plan[handle]; // slice
    for (int s = 0; s < p->nstep; s++) // slice
        steps[p->kind[s]](&job, p->peer[s], p->tag[s]); // slice
    return 0;
}

static double norm2(Library *lib, const double *v, int n)
{
    double sum[2] = {0.0, n};
    for (int i = 0; i < n; i++)
        sum[0] += v[i] * v[i];
    if (libRun(lib, libPlan(lib, lib->size), sum, 2) != 0) // slice
        return -1.0;
    return sum[0] / sum[1];
}

int main(int argc, char **argv)
{
    static Library lib;
    double v[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &lib.comm); // slice
    MPI_Comm_rank(lib.comm, &lib.me); // slice
    MPI_Comm_size(lib.comm, &lib.size); // slice
    for (int i = 0; i < 5; i++)
        v[i] = lib.me + 0.25 * i;
    for (int k = 0; k < 2; k++) // slice
    {
        double norm = norm2(&lib, v, 5); // slice
        for (int i = 0; i < 5; i++)
            v[i] /= norm + 1.0;
    }
    printf("rank %d: %g\n", lib.me, v[4]);
    for (int h = 0; h < lib.nplan; h++)
    {
        free(lib.plan[h].kind);
        free(lib.plan[h].peer);
        free(lib.plan[h].tag);
    }
    MPI_Comm_free(&lib.comm);
    MPI_Finalize();
    return 0;
}
