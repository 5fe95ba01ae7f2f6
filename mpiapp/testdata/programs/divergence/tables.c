// np: 6
// odd: 4
// kind: loop_count
// call: MPI_Allgather 65
// branch: -
// why: the checksum of the table that came fails on one rank of the second group, which alone tries the gather again

// Tables of opacities gathered within groups of ranks, with a retry around what may fail.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 6
#define ROUNDS 50

enum { OK = 0, EAGAIN_TABLE = 11, EFATAL_TABLE = 12 };

typedef struct {
  MPI_Comm world, group;
  int rank, members, flip;
} env_t;

typedef struct {
  env_t *env;
  int round, tries;
  double mine[ROWS];
  double *rows;
  double checksum;
} table_t;

typedef int (*attempt_fn)(void *context, int attempt);

static int with_retry(attempt_fn run, void *context, int most)
{
  int rc = EFATAL_TABLE;
  for (int attempt = 0; attempt < most; attempt++) {
    rc = run(context, attempt);
    if (rc != EAGAIN_TABLE)
      break;
  }
  return rc;
}

static double sum_of(const double *x, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

/* Transfers through a staging buffer of this node are sometimes stale. */
static void staging(table_t *t, int attempt)
{
  if (t->env->flip && t->env->rank == 4 && t->round == 30 && attempt == 0)
    t->rows[3] += 1;
}

static int fetch(void *context, int attempt)
{
  table_t *t = context;
  int n = ROWS * t->env->members;
  t->tries++;
  MPI_Allgather(t->mine, ROWS, MPI_DOUBLE, t->rows, ROWS, MPI_DOUBLE, t->env->group);
  staging(t, attempt);
  if (sum_of(t->rows, n) != t->checksum)
    return EAGAIN_TABLE;
  return OK;
}

static void fill(table_t *t)
{
  double mine;
  for (int i = 0; i < ROWS; i++)
    t->mine[i] = (t->round + i) % 8;
  mine = sum_of(t->mine, ROWS);
  MPI_Allreduce(&mine, &t->checksum, 1, MPI_DOUBLE, MPI_SUM, t->env->group);
}

static int table_update(table_t *t, int round)
{
  t->round = round;
  fill(t);
  return with_retry(fetch, t, 4);
}

static void env_make(env_t *e, int flip)
{
  int size;
  e->world = MPI_COMM_WORLD;
  e->flip = flip;
  MPI_Comm_rank(e->world, &e->rank);
  MPI_Comm_size(e->world, &size);
  MPI_Comm_split(e->world, e->rank < size / 2 ? 0 : 1, e->rank, &e->group);
  MPI_Comm_size(e->group, &e->members);
}

int main(int argc, char **argv)
{
  env_t env;
  table_t table = {0};
  int rc = OK, tries = 0;
  MPI_Init(&argc, &argv);
  env_make(&env, argc > 1 && strcmp(argv[1], "hang") == 0);
  table.env = &env;
  table.rows = calloc(ROWS * env.members, sizeof *table.rows);
  for (int round = 0; round < ROUNDS && rc == OK; round++) {
    rc = table_update(&table, round);
    if (round % 5 == 4)
      MPI_Barrier(env.world);
  }
  MPI_Reduce(&table.tries, &tries, 1, MPI_INT, MPI_SUM, 0, env.world);
  if (env.rank == 0)
    printf("status %d after %d tries, checksum %g\n", rc, tries, table.checksum);
  free(table.rows);
  MPI_Comm_free(&env.group);
  MPI_Finalize();
  return rc;
}
