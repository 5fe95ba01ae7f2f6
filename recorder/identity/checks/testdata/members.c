/* An MPI whose groups are lists of processes, and which translates ranks as Open MPI does: by looking through the whole of the
 * other group for each. For each way to choose members it prints how many steps that takes, and how many when all are asked for
 * at once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/locks.h"
#include "file/rank.h"
#include "identity/members.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

#define WORLD 20000

struct group {
  int n;
  int process[];
};

struct lg_family lg_fam = {.handle_bytes = 8};
static struct lg_rank rank;
struct lg_rank *lg_rank = &rank;
bool lg_shared, lg_mpi_ready;
static long steps;
static int groups;
static struct group *world, *group;

void lg_finalized(const struct lg_thread *goes_on)
{
  (void)goes_on;
}

bool lg_left_world(void)
{
  return false;
}

static struct group *of(int n)
{
  struct group *g = calloc(1, sizeof *g + sizeof *g->process * (size_t)n);
  g->n = n;
  groups++;
  return g;
}

static long group_of(long comm, void *out)
{
  struct group *from = (struct group *)comm, *g = of(from->n);
  memcpy(g->process, from->process, sizeof *g->process * (size_t)g->n);
  *(struct group **)out = g;
  return 0;
}

static long no(long comm, void *out)
{
  (void)comm;
  *(int *)out = 0;
  return 0;
}

static long size(long g, void *out)
{
  *(int *)out = ((struct group *)g)->n;
  return 0;
}

static long give_up(void *g)
{
  free(*(struct group **)g);
  groups--;
  return 0;
}

static long include(long from, long n, const int *ranks, void *out)
{
  struct group *g = of((int)n);
  for (int i = 0; i < n; i++)
    g->process[i] = ((struct group *)from)->process[ranks[i]];
  steps += n;
  *(struct group **)out = g;
  return 0;
}

static long translate(long from, long n, const int *ranks, long into, int *out)
{
  const struct group *a = (struct group *)from, *b = (struct group *)into;
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < b->n && b->process[k] != a->process[ranks[i]])
      k++;
    steps += k;
    out[i] = k < b->n ? k : -32766;
  }
  return 0;
}

void *lg_find_symbol(const char *name)
{
  static const struct {
    const char *name;
    void *function;
  } all[] = {{"PMPI_Comm_rank", no}, {"PMPI_Comm_group", group_of}, {"PMPI_Comm_test_inter", no}, {"PMPI_Comm_remote_group", no},
             {"PMPI_Group_size", size}, {"PMPI_Group_rank", no}, {"PMPI_Group_free", give_up}, {"PMPI_Group_incl", include},
             {"PMPI_Group_translate_ranks", translate}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i].name, name) == 0)
      return all[i].function;
  return NULL;
}

/* process is the k-th member, by its rank in the world; -1: no more. One outside the world is WORLD or more. */
static int process(const char *way, int k)
{
  if (strcmp(way, "all") == 0)
    return k < WORLD ? k : -1;
  if (strcmp(way, "but one") == 0)
    return k < WORLD - 1 ? k + (k >= WORLD / 2) : -1;
  if (strcmp(way, "odd") == 0)
    return 2 * k + 1 < WORLD ? 2 * k + 1 : -1;
  if (strcmp(way, "backwards") == 0)
    return WORLD - 1 - k;
  if (strcmp(way, "column") == 0)
    return 100 * k < WORLD ? 100 * k + 7 : -1;
  if (strcmp(way, "blocks") == 0)
    return k < WORLD / 4 ? k / 100 * 400 + k % 100 : -1;
  if (strcmp(way, "rising") == 0) { /* a third of the world */
    uint32_t x = (uint32_t)k * 2654435761u;
    return 3 * k + 2 < WORLD ? 3 * k + (int)(x >> 16) % 3 : -1;
  }
  if (strcmp(way, "shuffled") == 0) /* 7919 is prime */
    return k < WORLD / 2 ? (int)((long)k * k % 7919 * 2 + k / 4000) : -1;
  if (strcmp(way, "strangers") == 0)
    return k < WORLD / 2 ? (k % 5 ? k : WORLD + k) : -1;
  return k == 0 ? WORLD - 1 : -1; /* "one" */
}

int main(void)
{
  static const char *const ways[] = {"all", "but one", "odd", "backwards", "column", "blocks", "rising", "strangers", "shuffled", "one"};
  world = of(WORLD);
  for (int i = 0; i < WORLD; i++)
    world->process[i] = i;
  if (!lg_world_from_comm((long)world))
    return 1;
  for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++) {
    struct lg_members m;
    int n = 0, before = groups;
    while (n < WORLD && process(ways[w], n) >= 0)
      n++;
    group = of(n);
    for (int i = 0; i < n; i++)
      group->process[i] = process(ways[w], i);
    steps = 0;
    lg_members_of_comm((long)group, &m);
    long guessed = steps;
    int *ranks = malloc(sizeof *ranks * (size_t)n), *want = malloc(sizeof *want * (size_t)n);
    for (int i = 0; i < n; i++)
      ranks[i] = i;
    steps = 0;
    translate((long)group, n, ranks, (long)world, want);
    bool same = m.n == n;
    for (int i = 0; i < n && same; i++)
      same = m.world[i] == (want[i] < 0 ? -1 : want[i]);
    give_up(&group);
    printf("%s:%s:%d:%ld:%ld\n", ways[w], same && groups == before ? "right" : "wrong", n, guessed, steps);
    lg_members_forget(&m);
    free(ranks);
    free(want);
  }
  return 0;
}
