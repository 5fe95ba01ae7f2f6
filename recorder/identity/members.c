#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/locks.h"
#include "file/rank.h"
#include "identity/members.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

typedef long (*call2)(long, void *);
static struct {
  call2 rank, group, test_inter, remote_group, group_size, group_rank;
  long (*group_free)(void *);
  long (*translate)(long, long, const int *, long, int *);
  long world_group;
} mpi;

static bool find_calls(void)
{
  mpi.rank = (call2)lg_find_symbol("PMPI_Comm_rank");
  mpi.group = (call2)lg_find_symbol("PMPI_Comm_group");
  mpi.test_inter = (call2)lg_find_symbol("PMPI_Comm_test_inter");
  mpi.remote_group = (call2)lg_find_symbol("PMPI_Comm_remote_group");
  mpi.group_size = (call2)lg_find_symbol("PMPI_Group_size");
  mpi.group_rank = (call2)lg_find_symbol("PMPI_Group_rank");
  mpi.group_free = (long (*)(void *))lg_find_symbol("PMPI_Group_free");
  mpi.translate = (long (*)(long, long, const int *, long, int *))lg_find_symbol("PMPI_Group_translate_ranks");
  return mpi.rank && mpi.group && mpi.test_inter && mpi.remote_group && mpi.group_size && mpi.group_rank && mpi.group_free && mpi.translate;
}

/* translated tells the ranks that the members of a group have in another one. */
static int translated(long group, long into, int **out)
{
  int n = 0;
  *out = NULL;
  if (mpi.group_size(group, &n) || n <= 0)
    return n == 0 ? 0 : -1;
  int *ranks = malloc(sizeof *ranks * (size_t)n);
  *out = malloc(sizeof *ranks * (size_t)n);
  for (int i = 0; ranks && i < n; i++)
    ranks[i] = i;
  bool ok = ranks && *out && !mpi.translate(group, n, ranks, into, *out);
  free(ranks);
  if (ok)
    return n;
  free(*out);
  *out = NULL;
  return -1;
}

/* settle marks who is outside the world, and sums up. */
static void settle(struct lg_members *m)
{
  m->hash = (uint64_t)m->n;
  for (int i = 0; i < m->n; i++) {
    if (m->world[i] < 0)
      m->world[i] = -1;
    m->hash = lg_mix(m->hash, (uint64_t)m->world[i]);
  }
}

static bool of_group(long group, struct lg_members *m)
{
  *m = (struct lg_members){0};
  int n = group && mpi.world_group ? translated(group, mpi.world_group, &m->world) : -1;
  if (n <= 0)
    return false;
  m->n = n;
  settle(m);
  return true;
}

static bool asked(call2 which, long comm, struct lg_members *m)
{
  long group = 0;
  if (which(comm, &group))
    return false;
  bool ok = of_group(lg_handle_of(&group), m);
  mpi.group_free(&group);
  return ok;
}

int lg_comm_rank(long comm)
{
  int rank = -1;
  return mpi.rank && !mpi.rank(comm, &rank) ? rank : -1;
}

int lg_members_of_comm(long comm, struct lg_members *m)
{
  *m = (struct lg_members){0};
  asked(mpi.group, comm, m);
  return lg_comm_rank(comm);
}

bool lg_members_remote(long comm, struct lg_members *m)
{
  int inter = 0;
  *m = (struct lg_members){0};
  if (mpi.test_inter(comm, &inter) || !inter)
    return false;
  asked(mpi.remote_group, comm, m);
  return true;
}

static bool append(struct lg_members *m, const struct lg_members *more)
{
  int *all = realloc(m->world, sizeof *all * (size_t)(m->n + more->n));
  if (!all)
    return false;
  memcpy(all + m->n, more->world, sizeof *all * (size_t)more->n);
  m->world = all;
  m->n += more->n;
  settle(m);
  return true;
}

bool lg_members_of_groups(long group, long group2, struct lg_members *m)
{
  struct lg_members other = {0};
  bool ok = of_group(group, m) && (!group2 || (of_group(group2, &other) && append(m, &other)));
  lg_members_forget(&other);
  return ok;
}

bool lg_members_pair(long comm, int rank, struct lg_members *m)
{
  struct lg_members all, pair = {.n = 1, .world = &lg_rank->rank};
  *m = (struct lg_members){0};
  if (!mpi.world_group)
    return false;
  if (!lg_members_remote(comm, &all))
    lg_members_of_comm(comm, &all);
  bool ok = rank >= 0 && rank < all.n && all.world[rank] >= 0;
  if (ok) {
    *m = (struct lg_members){.n = 1, .world = all.world};
    m->world[0] = all.world[rank];
    ok = append(m, &pair);
  } else {
    lg_members_forget(&all);
  }
  return ok;
}

static int rising(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

void lg_members_sort(struct lg_members *m)
{
  qsort(m->world, (size_t)m->n, sizeof *m->world, rising);
  settle(m);
}

void lg_members_forget(struct lg_members *m)
{
  free(m->world);
  *m = (struct lg_members){0};
}

uint32_t lg_members_ranges(const struct lg_members *m, struct lg_range *out)
{
  uint32_t n = 0;
  for (int i = 0; i < m->n;) {
    bool outside = m->world[i] < 0; /* of the world: a run of their own, by 0 */
    int k = i + 1, stride = outside ? 0 : k < m->n && m->world[k] >= 0 ? m->world[k] - m->world[i] : 1;
    while (k < m->n && m->world[k] - m->world[k - 1] == stride && (m->world[k] < 0) == outside)
      k++;
    if (k == i + 2 && k < m->n && !outside)
      k = i + 1, stride = 1; /* two make no run; the second may begin a longer one */
    if (out)
      out[n] = (struct lg_range){m->world[i], stride, k - i};
    n++;
    i = k;
  }
  return n;
}

/* The group of the window's members is asked for each time: kept, it would
 * outlive the window. */
int lg_members_in_window(long win, long group, int **out)
{
  static call2 win_group;
  long members = 0;
  *out = NULL;
  if (!win_group)
    win_group = (call2)lg_find_symbol("PMPI_Win_get_group");
  if (!mpi.translate || !win_group || win_group(win, &members))
    return -1;
  int n = translated(group, lg_handle_of(&members), out);
  mpi.group_free(&members);
  return n;
}

/* ---- the world ---- */

/* Without MPI_Init there are only sessions, and the world is the process set
 * that MPI names so. Its group is freed before its session ends, as a group left
 * over might prevent that. Each session has a thread level of its own, so it is
 * assumed that several threads call. */
static long world_session;
static bool in_session;
static int nsessions;

bool lg_world_known(void)
{
  return mpi.world_group != 0;
}

static bool enter(long group)
{
  int rank = -1, size = -1;
  if (mpi.group_rank(group, &rank) || mpi.group_size(group, &size))
    return false;
  mpi.world_group = group;
  lg_rank->size = size;
  lg_rank->rank = rank;
  return true;
}

/* A process that MPI_Comm_spawn started is known by its parent. */
bool lg_world_from_comm(long world)
{
  long group = 0, parent = 0;
  lg_session_ends(world_session);
  if (!find_calls() || mpi.group(world, &group) || !enter(lg_handle_of(&group)))
    return false;
  long (*get_parent)(void *) = (long (*)(void *))lg_find_symbol("PMPI_Comm_get_parent");
  if (get_parent && get_parent(&parent) == 0 && lg_handle_of(&parent) != lg_fam.comm_null)
    lg_rank->spawned = 1;
  return true;
}

void lg_session_begun(long session)
{
  long (*from_set)(long, const char *, void *) = (long (*)(long, const char *, void *))lg_find_symbol("PMPI_Group_from_session_pset");
  long group = 0;
  nsessions++;
  lg_shared = true; /* from the next call on */
  lg_mpi_ready = true;
  if (mpi.world_group || !from_set || !find_calls() || from_set(session, "mpi://WORLD", &group))
    return;
  if (!enter(lg_handle_of(&group))) {
    mpi.group_free(&group);
    return;
  }
  in_session = true;
  world_session = session;
  lg_rank->status = LG_RUNNING;
}

void lg_session_ends(long session)
{
  if (!in_session || session != world_session)
    return;
  long group = mpi.world_group;
  mpi.world_group = 0;
  in_session = false;
  mpi.group_free(&group);
}

void lg_session_ended(void)
{
  if (--nsessions == 0 && lg_rank->status == LG_RUNNING && (lg_left_world() || !mpi.world_group))
    lg_finalized(NULL);
}

bool lg_sessions_open(void)
{
  return nsessions > 0;
}
