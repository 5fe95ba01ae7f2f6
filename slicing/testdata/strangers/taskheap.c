// tune: rank=1 size=3 stop=MPI_Ssend:5
// Blocks of a triangular factorisation go to the ranks that follow, in the order of a heap; nodes live in a pool.
// A node that comes back from the free list keeps the followers of the task that had it before.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum
{
    POOL = 4,
    LINKS = 32,
    NROW = 12,
    WAVE = 6,
    TAG_ROW = 50
};

enum
{
    CLEAR_ROW = 1,
    CLEAR_COST = 2,
    CLEAR_FOLLOWERS = 4
};

typedef struct Follower
{
    struct Follower *next;
    int rank;
} Follower;

typedef struct Task
{
    struct Task *nextFree;
    Follower *followers;
    int row;
    double cost;
} Task;

typedef struct
{
    Task slot[POOL];
    Task *freeList;
    Follower link[LINKS];
    int nlink;
} Pool;

typedef struct
{
    Task *heap[POOL + 1];
    int n;
} Queue;

typedef struct
{
    MPI_Comm comm;
    int me, size;
} Net;

/* needs[r] has a bit for every row that needs row r */
static const unsigned short needs[NROW] = {0x006, 0x00c, 0x018, 0x030, 0x020, 0x040,
                                           0x180, 0x100, 0x200, 0xc00, 0x800, 0x000};
static const double costs[NROW] = {3.0, 5.0, 2.0, 4.0, 1.0, 6.0, 3.5, 4.5, 2.5, 6.5, 0.5, 1.5};

static int ownerOf(const Net *net, int row)
{
    return row % net->size; // slice
}

/* ---- pool ---- */
static void poolSetup(Pool *p)
{
    memset(p, 0, sizeof *p); // slice
    for (int i = 0; i < POOL; i++) // slice
    {
        p->slot[i].nextFree = p->freeList; // slice
        p->freeList = &p->slot[i]; // slice
    }
}

static Task *poolTake(Pool *p, int row)
{
    Task *t = p->freeList; // slice
    if (!t) // slice
        return NULL; // slice
    p->freeList = t->nextFree; // slice
    t->row = row; // slice
    t->cost = costs[row]; // slice
    return t; // slice
}

static void taskClear(Task *t, unsigned what)
{
    if (what & CLEAR_ROW)
        t->row = -1;
    if (what & CLEAR_COST)
        t->cost = 0.0;
    if (what & CLEAR_FOLLOWERS) // slice
        t->followers = NULL; // slice
}

static void poolGive(Pool *p, Task *t)
{
    taskClear(t, CLEAR_ROW | CLEAR_COST); // root
    t->nextFree = p->freeList; // slice
    p->freeList = t; // slice
}

static void follow(Pool *p, Task *t, int rank)
{
    for (Follower *f = t->followers; f; f = f->next) // slice
        if (f->rank == rank) // slice
            return;
    Follower *f = &p->link[p->nlink++]; // slice
    f->rank = rank; // slice
    f->next = t->followers; // slice
    t->followers = f; // slice
}

/* ---- heap: the dearest task is the first ---- */
static void queuePush(Queue *q, Task *t)
{
    int i = ++q->n; // slice
    for (; i > 1 && q->heap[i / 2]->cost < t->cost; i /= 2) // slice
        q->heap[i] = q->heap[i / 2]; // slice
    q->heap[i] = t; // slice
}

static Task *queuePop(Queue *q)
{
    Task *top = q->heap[1]; // slice
    Task *last = q->heap[q->n--]; // slice
    int i = 1; // slice
    while (2 * i <= q->n) // slice
    {
        int child = 2 * i; // slice
        if (child < q->n && q->heap[child + 1]->cost > q->heap[child]->cost) // slice
            child++; // slice
        if (last->cost >= q->heap[child]->cost) // slice
            break;
        q->heap[i] = q->heap[child]; // slice
        i = child; // slice
    }
    q->heap[i] = last; // slice
    return top; // slice
}

/* ---- a wave of rows ---- */
static int expectRows(const Net *net, int first, double box[], MPI_Request req[])
{
    int n = 0;
    for (int r = first; r < first + WAVE; r++)
    {
        int wanted = 0;
        for (int k = 0; k < NROW; k++)
            wanted |= (needs[r] >> k & 1) && ownerOf(net, k) == net->me;
        if (wanted && ownerOf(net, r) != net->me)
        {
            MPI_Irecv(&box[n], 1, MPI_DOUBLE, ownerOf(net, r), TAG_ROW + r, net->comm, &req[n]);
            n++;
        }
    }
    return n;
}

static int planRows(const Net *net, int first, Pool *pool, Queue *q)
{
    for (int r = first; r < first + WAVE; r++) // slice
    {
        if (ownerOf(net, r) != net->me) // slice
            continue;
        Task *t = poolTake(pool, r); // slice
        if (!t) // slice
            return 1; // slice
        for (int k = 0; k < NROW; k++) // slice
            if (needs[r] >> k & 1 && ownerOf(net, k) != net->me) // slice
                follow(pool, t, ownerOf(net, k)); // slice
        queuePush(q, t); // slice
    }
    return 0; // slice
}

static int runWave(const Net *net, int first, Pool *pool, Queue *q)
{
    double box[WAVE], value;
    MPI_Request req[WAVE];
    MPI_Status st[WAVE];
    int n = expectRows(net, first, box, req);
    if (planRows(net, first, pool, q) != 0) // slice
        return 1; // slice
    while (q->n > 0) // slice
    {
        Task *t = queuePop(q); // slice
        value = 1.0 / t->cost;
        for (Follower *f = t->followers; f; f = f->next) // slice
            MPI_Ssend(&value, 1, MPI_DOUBLE, f->rank, TAG_ROW + t->row, net->comm); // stop
        poolGive(pool, t); // slice
    }
    MPI_Waitall(n, req, st);
    return 0; // slice
}

int main(int argc, char **argv)
{
    static Pool pool;
    Queue queue = {.n = 0}; // slice
    Net net = {.comm = MPI_COMM_WORLD}; // slice
    int rc = 0; // slice
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(net.comm, &net.me); // slice
    MPI_Comm_size(net.comm, &net.size); // slice
    poolSetup(&pool); // slice
    for (int first = 0; first < NROW && rc == 0; first += WAVE) // slice
        rc = runWave(&net, first, &pool, &queue); // slice
    printf("rank %d: rc %d, %d links\n", net.me, rc, pool.nlink);
    MPI_Finalize();
    return rc;
}
