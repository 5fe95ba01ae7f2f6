/* Communicators: who is in them, under an id that all members compute alike
 * without a message: a hash of the parent's id, the members, and how many
 * communicators with these members this parent has had before. Windows and
 * files synchronise over the members of a communicator, so each is kept as a
 * communicator of its own. Membership is asked of the library by local calls,
 * in the thread that made the communicator, once per communicator. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define MAX_COMMS (1u << 20)
#define WORLD_ID 1

static struct lg_comm_ref *table[1024]; /* chained by handle */
struct node {
  struct lg_comm_ref ref;
  struct lg_comm_ref *next;
};
static struct lg_comm_ref *freed; /* their records wait for another use */
static uint32_t ncomms;
uint32_t lg_comm_gen = 1;

struct births { /* how many communicators a parent has had with these members */
  uint64_t parent, members;
  uint32_t n;
};
static struct births *births;
static uint32_t nbirths, births_room;

typedef long (*call2)(long, void *);
static struct {
  call2 rank, size, group, test_inter, remote_group, group_size;
  long (*group_free)(void *);
  long (*translate)(long, long, const int *, long, int *);
  long world_group;
} mpi;

static uint64_t mix(uint64_t h, uint64_t v)
{
  h = (h ^ v) * 0x9e3779b97f4a7c15ull;
  return h ^ h >> 31;
}

static long handle_of(const long *raw)
{
  return lg_fam.handle_bytes == 4 ? *(const int *)raw : *raw;
}

static bool find_calls(void)
{
  mpi.rank = (call2)lg_find_symbol("PMPI_Comm_rank");
  mpi.size = (call2)lg_find_symbol("PMPI_Comm_size");
  mpi.group = (call2)lg_find_symbol("PMPI_Comm_group");
  mpi.test_inter = (call2)lg_find_symbol("PMPI_Comm_test_inter");
  mpi.remote_group = (call2)lg_find_symbol("PMPI_Comm_remote_group");
  mpi.group_size = (call2)lg_find_symbol("PMPI_Group_size");
  mpi.group_free = (long (*)(void *))lg_find_symbol("PMPI_Group_free");
  mpi.translate = (long (*)(long, long, const int *, long, int *))lg_find_symbol("PMPI_Group_translate_ranks");
  return mpi.rank && mpi.size && mpi.group && mpi.test_inter && mpi.remote_group && mpi.group_size && mpi.group_free && mpi.translate;
}

/* ---- the table ---- */

static unsigned bucket(int what, long handle)
{
  return (unsigned)(mix((uint64_t)what, (uint64_t)handle) >> 54);
}

static struct lg_comm_ref **link_of(struct lg_comm_ref *r)
{
  return &((struct node *)r)->next;
}

struct lg_comm_ref *lg_comm_find(int what, long handle)
{
  for (struct lg_comm_ref *r = table[bucket(what, handle)]; r; r = *link_of(r))
    if (r->handle == handle && r->what == what && !r->freed)
      return r;
  return NULL;
}

/* lg_comm_of finds the communicator a call names, window and file included. */
struct lg_comm_ref *lg_comm_of(struct lg_st *st, const struct lg_call *c, int i)
{
  if (i < 0)
    return NULL;
  int what = i == c->desc->win ? LG_HANDLE_WIN : i == c->desc->file ? LG_HANDLE_FILE : LG_HANDLE_COMM;
  long handle = what == LG_HANDLE_COMM ? lg_comm_handle(c, i) : lg_handle_in(c, i);
  if (st->comm && st->comm_arg == handle && st->comm_gen == lg_comm_gen)
    return st->comm;
  struct lg_comm_ref *r = lg_comm_find(what, handle);
  st->comm = r;
  st->comm_arg = handle;
  st->comm_gen = lg_comm_gen;
  return r;
}

/* ---- membership ---- */

struct members {
  int n;
  int *world; /* world ranks; -1 outside MPI_COMM_WORLD */
  uint64_t hash;
};

static bool ask_members(long group, struct members *m)
{
  *m = (struct members){0};
  if (mpi.group_size(group, &m->n) || m->n <= 0)
    return false;
  int *ranks = malloc(sizeof *ranks * (size_t)m->n * 2);
  if (!ranks)
    return false;
  m->world = ranks + m->n;
  for (int i = 0; i < m->n; i++)
    ranks[i] = i;
  if (mpi.translate(group, m->n, ranks, mpi.world_group, m->world)) {
    free(ranks);
    return false;
  }
  m->hash = (uint64_t)m->n;
  for (int i = 0; i < m->n; i++) {
    if (m->world[i] < 0)
      m->world[i] = -1;
    m->hash = mix(m->hash, (uint64_t)m->world[i]);
  }
  return true;
}

static void forget(struct members *m)
{
  if (m->world)
    free(m->world - m->n);
}

static bool group_members(call2 ask, long comm, struct members *m)
{
  long group = 0;
  if (ask(comm, &group))
    return false;
  bool ok = ask_members(handle_of(&group), m);
  mpi.group_free(&group);
  return ok;
}

/* ranges writes members as arithmetic runs; with out NULL it only counts them. */
static uint32_t ranges(const struct members *m, struct lg_range *out)
{
  uint32_t n = 0;
  for (int i = 0; i < m->n;) {
    int k = i + 1, stride = k < m->n ? m->world[k] - m->world[i] : 1;
    while (k < m->n && m->world[k] - m->world[k - 1] == stride)
      k++;
    if (k == i + 2 && k < m->n)
      k = i + 1, stride = 1; /* two make no run; the second may begin a longer one */
    if (out)
      out[n] = (struct lg_range){m->world[i], stride, k - i};
    n++;
    i = k;
  }
  return n;
}

static uint32_t born(uint64_t parent, uint64_t members)
{
  for (uint32_t i = 0; i < nbirths; i++)
    if (births[i].parent == parent && births[i].members == members)
      return births[i].n++;
  if (nbirths == births_room) {
    uint32_t more = births_room ? births_room * 2 : 64;
    struct births *p = realloc(births, more * sizeof *p);
    if (!p)
      return 0;
    births = p;
    births_room = more;
  }
  births[nbirths++] = (struct births){parent, members, 1};
  return 0;
}

/* ---- records ---- */

struct birth { /* what a new record says */
  int what;
  long handle;
  uint32_t flags, state, thread;
  int rank;
  uint64_t id, parent;
  struct members local, remote;
};

static struct lg_comm *record(const struct birth *b)
{
  uint32_t nl = ranges(&b->local, NULL), nr = ranges(&b->remote, NULL);
  uint32_t fixed = ((uint32_t)(sizeof(struct lg_comm) - sizeof(struct lg_rec)) + (nl + nr) * (uint32_t)sizeof(struct lg_range) + 7) & ~7u;
  struct lg_comm *r = lg_rec_begin(LG_REC_COMM, 0, fixed, (uint32_t)(sizeof(struct lg_rec) + fixed + sizeof(struct lg_comm_live)));
  if (!r)
    return NULL;
  r->index = ncomms;
  r->flags = b->flags;
  r->rank = b->rank;
  r->size = b->local.n;
  r->remote_size = b->remote.n;
  r->nranges = nl;
  r->nremote = nr;
  ranges(&b->local, (struct lg_range *)(r + 1));
  ranges(&b->remote, (struct lg_range *)(r + 1) + nl);
  ((struct lg_comm_live *)((char *)(r + 1) + fixed))->freed = 1;
  lg_rec_commit(r);
  return r;
}

static struct lg_comm_ref *recorded(const struct birth *b)
{
  if (ncomms == MAX_COMMS) {
    lg_turn_off("table full: more than %u communicators", MAX_COMMS);
    return NULL;
  }
  lg_lock_file();
  struct lg_comm *r = record(b);
  lg_unlock_file();
  struct node *n = r ? calloc(1, sizeof *n) : NULL;
  if (!n)
    return NULL;
  n->ref.index = ncomms++;
  n->ref.live = (struct lg_comm_live *)((char *)r + sizeof(struct lg_rec) + r->h.fixed);
  return &n->ref;
}

void lg_comm_free(struct lg_comm_ref *r)
{
  __atomic_store_n(&r->live->freed, 1, __ATOMIC_RELEASE);
  r->freed = true;
  lg_comm_gen++;
  struct lg_comm_ref **p = &table[bucket(r->what, r->handle)];
  while (*p && *p != r)
    p = link_of(*p);
  if (*p)
    *p = *link_of(r);
  *link_of(r) = freed;
  freed = r;
}

/* freed_like takes a freed communicator with these members off the list. */
static struct lg_comm_ref *freed_like(uint32_t flags, uint64_t members)
{
  for (struct lg_comm_ref **p = &freed; *p; p = link_of(*p))
    if ((*p)->flags == flags && (*p)->members == members) {
      struct lg_comm_ref *r = *p;
      *p = *link_of(r);
      return r;
    }
  return NULL;
}

static void add(struct birth *b)
{
  uint64_t members = mix(b->local.hash, b->remote.hash);
  b->flags |= b->local.n ? 0 : LG_COMM_UNKNOWN;
  struct lg_comm_ref *old = lg_comm_find(b->what, b->handle);
  if (old)
    lg_comm_free(old); /* the handle was given out anew: the old one is gone */
  struct lg_comm_ref *r = freed_like(b->flags, members);
  if (!r)
    r = recorded(b);
  if (!r)
    return;
  struct lg_comm_live *live = r->live;
  *r = (struct lg_comm_ref){.handle = b->handle, .index = r->index, .what = (uint8_t)b->what, .flags = b->flags, .id = b->id, .members = members, .live = live};
  live->coll = 0;
  live->id = b->id;
  live->parent = b->parent;
  live->thread = b->thread;
  live->state = b->state;
  __atomic_store_n(&live->freed, 0, __ATOMIC_RELEASE);
  unsigned k = bucket(b->what, b->handle);
  *link_of(r) = table[k];
  table[k] = r;
  lg_comm_gen++;
}

static uint64_t id_for(uint64_t parent, const struct members *l, const struct members *r)
{
  uint64_t set = r->n ? mix(1, l->hash < r->hash ? mix(l->hash, r->hash) : mix(r->hash, l->hash)) : l->hash;
  return mix(mix(mix(parent, set), born(parent, set)), 0x6c6167) | 1;
}

/* lg_comm_made notes a new communicator. The two sides of an intercommunicator
 * have different parents, so theirs counts as none. */
void lg_comm_made(struct lg_call *c, long handle, struct lg_comm_ref *parent, uint32_t state)
{
  if (handle == 0 || handle == lg_fam.comm_null)
    return;
  struct birth b = {.what = LG_HANDLE_COMM, .handle = handle, .state = state, .thread = c->thr->pub->index, .rank = -1};
  int inter = 0;
  mpi.test_inter(handle, &inter);
  mpi.rank(handle, &b.rank);
  group_members(mpi.group, handle, &b.local);
  if (inter) {
    b.flags = LG_COMM_INTER;
    group_members(mpi.remote_group, handle, &b.remote);
  }
  b.parent = parent && !(inter && c->desc->cls == CLS_newcomm_group) ? parent->id : 0;
  b.id = id_for(b.parent, &b.local, &b.remote);
  add(&b);
  forget(&b.local);
  forget(&b.remote);
}

/* lg_comm_like notes a window or file over the members of a communicator. */
void lg_comm_like(struct lg_call *c, int what, long handle, struct lg_comm_ref *parent, uint32_t state)
{
  struct birth b = {.what = what, .handle = handle, .state = state, .thread = c->thr->pub->index, .rank = -1, .parent = parent->id};
  mpi.rank(parent->handle, &b.rank);
  group_members(mpi.group, parent->handle, &b.local);
  b.id = id_for(mix(parent->id, (uint64_t)what), &b.local, &b.remote);
  b.flags = what == LG_HANDLE_WIN ? LG_COMM_WINDOW : LG_COMM_FILE;
  add(&b);
  forget(&b.local);
}

struct lg_comm_ref *lg_comm_forming(struct lg_call *c, long group, struct lg_comm_ref *parent, uint32_t state)
{
  struct birth b = {.what = LG_HANDLE_FORMING, .handle = (long)c->thr, .state = state, .thread = c->thr->pub->index, .rank = -1, .parent = parent->id, .flags = LG_COMM_FORMING};
  if (!group || !ask_members(group, &b.local))
    return NULL;
  b.id = id_for(mix(parent->id, (uint64_t)b.what), &b.local, &b.remote);
  add(&b);
  forget(&b.local);
  return lg_comm_find(b.what, b.handle);
}

static void predefined(long handle, uint32_t flag, uint64_t id)
{
  struct birth b = {.what = LG_HANDLE_COMM, .handle = handle, .flags = flag, .state = UINT32_MAX, .id = id};
  mpi.rank(handle, &b.rank);
  group_members(mpi.group, handle, &b.local);
  add(&b);
  forget(&b.local);
}

/* lg_comm_start learns rank, size and the predefined communicators once MPI_Init
 * has returned. A process that MPI_Comm_spawn started is known by its parent. */
void lg_comm_start(void)
{
  long group = 0, parent = 0;
  int rank = -1, size = -1;
  if (!find_calls() || mpi.rank(lg_fam.comm_world, &rank) || mpi.size(lg_fam.comm_world, &size) ||
      mpi.group(lg_fam.comm_world, &group)) {
    lg_turn_off("this MPI does not answer MPI_Comm_rank");
    return;
  }
  mpi.world_group = handle_of(&group);
  lg_rank->size = size;
  lg_rank->rank = rank;
  predefined(lg_fam.comm_world, LG_COMM_WORLD, WORLD_ID);
  predefined(lg_fam.comm_self, LG_COMM_SELF, mix(WORLD_ID + 1, (uint64_t)rank + 1) | 1);
  long (*get_parent)(void *) = (long (*)(void *))lg_find_symbol("PMPI_Comm_get_parent");
  if (get_parent && get_parent(&parent) == 0 && handle_of(&parent) != lg_fam.comm_null)
    lg_rank->parent_world = 1;
}
