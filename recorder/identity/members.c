#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/locks.h"
#include "file/rank.h"
#include "identity/members.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

#define FEW (1l << 16)  /* steps of a translation that are not worth saving */
#define RUN 64          /* members that are guessed at once, at most */
#define WINDOW 256      /* world ranks behind the last one, among which the next is looked for */
#define LOOKED_FOR 32   /* members that are looked for there at once */
#define MISSES(n) (4 + (n) / 16) /* guesses that may fail before all the rest is asked for */

typedef long (*call2)(long, void *);
static struct {
  call2 rank, group, test_inter, remote_group, group_size, group_rank;
  long (*group_free)(void *);
  long (*include)(long, long, const int *, void *); /* NULL: not asked */
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
  mpi.include = (long (*)(long, long, const int *, void *))lg_find_symbol("PMPI_Group_incl");
  mpi.translate = (long (*)(long, long, const int *, long, int *))lg_find_symbol("PMPI_Group_translate_ranks");
  return mpi.rank && mpi.group && mpi.test_inter && mpi.remote_group && mpi.group_size && mpi.group_rank && mpi.group_free && mpi.translate;
}

/* ask tells the ranks that n members of a group, from a first one on, have in another one. */
static bool ask(long group, int first, int n, long into, int *out)
{
  int *ranks = malloc(sizeof *ranks * (size_t)n);
  for (int i = 0; ranks && i < n; i++)
    ranks[i] = first + i;
  bool ok = ranks && !mpi.translate(group, n, ranks, into, out);
  free(ranks);
  return ok;
}

/* found_among looks for members of a group, from a first one on, among m world ranks, and gives how many were there before
 * one that is not; -1: cannot tell. */
static int found_among(long group, int first, int n, const int *world, int m, int *out)
{
  long part = 0;
  int k = 0;
  if (mpi.include(mpi.world_group, m, world, &part))
    return -1;
  bool ok = ask(group, first, n, lg_handle_of(&part), out);
  mpi.group_free(&part);
  while (ok && k < n && out[k] >= 0 && out[k] < m) {
    out[k] = world[out[k]];
    k++;
  }
  return ok ? k : -1;
}

/* going_on guesses world ranks from `from` on, in steps; as many as there are. */
static int going_on(int *guess, int room, int from, int step)
{
  int m = 0;
  if (step == 0)
    return 0;
  for (long w = (long)from + step; m < room && w >= 0 && w < lg_rank->size; w += step)
    guess[m++] = (int)w;
  return m;
}

/* guessed looks for the next members where they most likely are: one behind the other as the two before, or a little further
 * on in the world. It gives how many it found. */
static int guessed(long group, int at, int n, int *run, int *world)
{
  int guess[WINDOW], last = at > 0 ? world[at - 1] : -1, step = at > 1 ? last - world[at - 2] : 1;
  if (at > 0 && last < 0)
    return 0;
  int m = going_on(guess, *run < n - at ? *run : n - at, last, step);
  int k = m ? found_among(group, at, m, guess, m, world + at) : 0;
  *run = k == m && *run < RUN ? *run * 2 : k == m || *run <= 8 ? *run : *run / 2;
  if (k)
    return k;
  m = going_on(guess, WINDOW, last, 1);
  return m ? found_among(group, at, n - at < LOOKED_FOR ? n - at : LOOKED_FOR, guess, m, world + at) : 0;
}

/* guess_all translates into the world. Open MPI looks through the group that it translates into for each member: of all members of
 * a job of 32,000 ranks that takes seconds. But into a group of a few ranks that are guessed it takes no time, and most
 * communicators have members that are easy to guess. */
static bool guess_all(long group, int n, int *world)
{
  int run = 8, misses = 0;
  for (int at = 0; at < n;) {
    int k = guessed(group, at, n, &run, world);
    if (k < 0)
      return false;
    if (k == 0) {
      k = misses++ < MISSES(n) && n - at > 2 ? 2 : n - at;
      if (!ask(group, at, k, mpi.world_group, world + at))
        return false;
    }
    at += k;
  }
  return true;
}

static bool into_world(long group, int n, int *world)
{
  if (group == mpi.world_group) {
    for (int i = 0; i < n; i++)
      world[i] = i;
    return true;
  }
  if (!mpi.include || (long)n * lg_rank->size <= FEW)
    return ask(group, 0, n, mpi.world_group, world);
  return guess_all(group, n, world);
}

/* translated tells the ranks that the members of a group have in another one. */
static int translated(long group, long into, int **out)
{
  int n = 0;
  *out = NULL;
  if (mpi.group_size(group, &n) || n <= 0)
    return n == 0 ? 0 : -1;
  *out = malloc(sizeof **out * (size_t)n);
  if (*out && (into == mpi.world_group ? into_world(group, n, *out) : ask(group, 0, n, into, *out)))
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

bool lg_is_inter(long comm)
{
  int inter = 0;
  return !mpi.test_inter(comm, &inter) && inter;
}

void lg_members_remote(long comm, struct lg_members *m)
{
  *m = (struct lg_members){0};
  asked(mpi.remote_group, comm, m);
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
  const struct lg_members pair = {.n = 1, .world = &lg_rank->rank};
  int n = 0;
  long group = 0;
  *m = (struct lg_members){0};
  if (!mpi.world_group || (lg_is_inter(comm) ? mpi.remote_group : mpi.group)(comm, &group))
    return false;
  long of = lg_handle_of(&group);
  bool ok = !mpi.group_size(of, &n) && rank >= 0 && rank < n && (m->world = malloc(sizeof *m->world)) != NULL &&
            ask(of, rank, 1, mpi.world_group, m->world) && m->world[0] >= 0;
  mpi.group_free(&group);
  if (ok) {
    m->n = 1;
    ok = append(m, &pair);
  }
  if (!ok)
    lg_members_forget(m);
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
  if (m->runs && out)
    memcpy(out, m->runs, m->nruns * sizeof *out);
  if (m->runs)
    return m->nruns;
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
  if (--nsessions == 0 && (lg_left_world() || (lg_rank->status == LG_RUNNING && !mpi.world_group)))
    lg_finalized(NULL);
}

bool lg_sessions_open(void)
{
  return nsessions > 0;
}
