// np: 6
// odd: 5
// kind: skipped
// call: MPI_Neighbor_alltoall 79
// branch: 77
// why: a rank without active ghosts leaves out one exchange, and its later ones match those before them until the end

// Agents on a graph of ranks, which tell their neighbours what they do.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE 2
#define WORDS 4
#define ROUNDS 60

typedef struct {
  int state, awake_until, sleeps_at;
} agent_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  int neighbours[DEGREE];
} topology_t;

typedef struct {
  int active;
  double out[DEGREE * WORDS], in[DEGREE * WORDS];
} plan_t;

typedef struct {
  topology_t topology;
  plan_t plan;
  agent_t agents[8];
  int round;
  double heard;
} society_t;

static void topology_make(topology_t *t, MPI_Comm comm)
{
  MPI_Comm_rank(comm, &t->rank);
  MPI_Comm_size(comm, &t->size);
  t->neighbours[0] = (t->rank + t->size - 1) % t->size;
  t->neighbours[1] = (t->rank + 1) % t->size;
  MPI_Dist_graph_create_adjacent(comm, DEGREE, t->neighbours, MPI_UNWEIGHTED, DEGREE, t->neighbours, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &t->comm);
}

static void agents_make(society_t *s, int nap)
{
  for (int i = 0; i < 8; i++) {
    s->agents[i].state = i + s->topology.rank;
    s->agents[i].sleeps_at = -1;
    if (i == 0 || (nap && s->topology.rank == 5))
      s->agents[i].sleeps_at = 22;
  }
}

static void plan_make(society_t *s)
{
  plan_t *p = &s->plan;
  p->active = 0;
  memset(p->out, 0, sizeof p->out);
  for (int i = 0; i < 8; i++) {
    const agent_t *a = &s->agents[i];
    if (a->sleeps_at == s->round)
      continue;
    p->out[p->active % (DEGREE * WORDS)] += a->state;
    p->active++;
  }
}

static void plan_run(plan_t *p, const topology_t *t)
{
  if (p->active == 0)
    return;
  MPI_Neighbor_alltoall(p->out, WORDS, MPI_DOUBLE, p->in, WORDS, MPI_DOUBLE, t->comm);
}

static void listen(society_t *s)
{
  for (int i = 0; i < DEGREE * WORDS; i++)
    s->heard += s->plan.in[i];
}

static void society_round(society_t *s, int round)
{
  s->round = round;
  plan_make(s);
  plan_run(&s->plan, &s->topology);
  listen(s);
  for (int i = 0; i < 8; i++)
    s->agents[i].state = (s->agents[i].state * 5 + 3) % 17;
}

static double opinion(const society_t *s)
{
  double all = 0;
  MPI_Allreduce(&s->heard, &all, 1, MPI_DOUBLE, MPI_SUM, s->topology.comm);
  return all;
}

int main(int argc, char **argv)
{
  static society_t s;
  double all;
  MPI_Init(&argc, &argv);
  topology_make(&s.topology, MPI_COMM_WORLD);
  agents_make(&s, argc > 1 && strcmp(argv[1], "hang") == 0);
  for (int round = 0; round < ROUNDS; round++)
    society_round(&s, round);
  all = opinion(&s);
  if (s.topology.rank == 0)
    printf("heard %g\n", all);
  MPI_Comm_free(&s.topology.comm);
  MPI_Finalize();
  return 0;
}
