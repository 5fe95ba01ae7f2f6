/* ranks=3 about: distributed histogram with Get_accumulate and Fetch_and_op under lock_all, flush_local */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 24
#define ROUNDS 6

typedef struct {
  MPI_Win win;
  long *base; /* BINS counters and one ticket */
  int rank, size;
} histo_t;

typedef struct {
  long add[BINS];
  long before[BINS];
} batch_t;

static void histo_create(histo_t *h, MPI_Comm comm) {
  MPI_Comm_rank(comm, &h->rank);
  MPI_Comm_size(comm, &h->size);
  MPI_Win_allocate((BINS + 1) * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &h->base, &h->win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, h->rank, 0, h->win);
  for (int i = 0; i <= BINS; i++) h->base[i] = 0;
  MPI_Win_unlock(h->rank, h->win);
  MPI_Barrier(comm);
  MPI_Win_lock_all(0, h->win);
}

static void histo_destroy(histo_t *h, MPI_Comm comm) {
  MPI_Win_unlock_all(h->win);
  MPI_Barrier(comm);
  MPI_Win_free(&h->win);
}

static void histo_post(histo_t *h, int target, batch_t *b) {
  MPI_Get_accumulate(b->add, BINS, MPI_LONG, b->before, BINS, MPI_LONG, target, 0, BINS, MPI_LONG,
                     MPI_SUM, h->win);
}

static long histo_ticket(histo_t *h, int target) {
  long one = 1, mine = -1;
  MPI_Fetch_and_op(&one, &mine, MPI_LONG, target, BINS, MPI_SUM, h->win);
  MPI_Win_flush(target, h->win);
  return mine;
}

static void batch_fill(batch_t *b, unsigned *seed) {
  memset(b, 0, sizeof *b);
  for (int i = 0; i < 100; i++) {
    *seed = *seed * 1103515245u + 12345u;
    b->add[(*seed >> 16) % BINS]++;
  }
}

static long batch_sum_before(const batch_t *b) {
  long s = 0;
  for (int i = 0; i < BINS; i++) s += b->before[i];
  return s;
}

static long batch_sum_before_early(const batch_t *b) {
  long s = 0;
  for (int i = 0; i < BINS; i++)
    s += b->before[i]; /* LAGGARD: race */
  return s;
}

int main(int argc, char **argv) {
  histo_t h;
  batch_t *batch;
  unsigned seed;
  long seen = 0, tickets = 0, local = 0, all = 0, sent = 0, peeked = 0;
  int faulty;

  MPI_Init(&argc, &argv);
  faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
  histo_create(&h, MPI_COMM_WORLD);
  seed = 17u + h.rank;
  batch = malloc(2 * sizeof *batch);
  if (!batch) MPI_Abort(MPI_COMM_WORLD, 1);

  for (int r = 0; r < ROUNDS; r++) {
    batch_t *b = &batch[r % 2];
    int target = (h.rank + 1 + r) % h.size;
    batch_fill(b, &seed);
    for (int i = 0; i < BINS; i++) sent += b->add[i];
    histo_post(&h, target, b);
    /* the origin of a pending accumulate may be read */
    peeked += b->add[r] + b->add[BINS - 1];
    /* the other batch is free */
    batch[(r + 1) % 2].before[3] = 0;
    if (faulty && r == 3) {
      seen += batch_sum_before_early(b);
      MPI_Win_flush_local(target, h.win);
    } else {
      MPI_Win_flush_local(target, h.win);
      seen += batch_sum_before(b);
    }
    /* locally complete: origin and result are ours again */
    b->add[0] = -1;
    b->before[0] = -1;
    tickets += histo_ticket(&h, target);
  }

  MPI_Win_flush_all(h.win);
  MPI_Barrier(MPI_COMM_WORLD);
  {
    long mine[BINS], dummy[BINS] = {0};
    MPI_Get_accumulate(dummy, BINS, MPI_LONG, mine, BINS, MPI_LONG, h.rank, 0, BINS, MPI_LONG,
                       MPI_NO_OP, h.win);
    MPI_Win_flush(h.rank, h.win);
    for (int i = 0; i < BINS; i++) local += mine[i];
  }
  {
    long in[2] = {local, sent}, out[2] = {0, 0};
    MPI_Allreduce(in, out, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    all = out[0];
    if (h.rank == 0)
      printf("counted %ld sent %ld seen %s tickets %ld\n", all, out[1], seen >= 0 && peeked >= 0 ? "ok" : "odd",
             tickets);
  }
  histo_destroy(&h, MPI_COMM_WORLD);
  free(batch);
  MPI_Finalize();
  return 0;
}
