#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/recording.h"
#include "base/table.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/channel.h"
#include "identity/comm.h"
#include "identity/freed.h"
#include "identity/history.h"
#include "identity/members.h"
#include "identity/state.h"
#include "identity/taken.h"
#include "identity/thread.h"
#include "identity/topology.h"
#include "identity/wildcard.h"
#include "identity/window.h"
#include "mpi/family.h"
#include "mpi/handle.h"

#define MAX_COMMS (1u << 20)
#define TABLE_BITS 10
#define WORLD_ID 1
/* Larger than any rank: mixed with an equal number it would give 0, and so WORLD_ID. */
#define ID_SEED 0x6c6167 /* any number; those in a file depend on it */
#define SELF_SEED 0x53454c4600000000u

static struct lg_comm_ref *table[1 << TABLE_BITS]; /* chained by handle */
struct node {
  struct lg_comm_ref ref;
  struct lg_comm_ref *next;
};
/* The records of freed ones wait for another use, chained by what makes them fit for it; and the one that had a handle last. */
static struct lg_comm_ref *freed[1 << TABLE_BITS], *freed_last[1 << TABLE_BITS];
static uint32_t ncomms, nborn;

struct births { /* how many communicators a parent has had with these members */
  uint64_t key;
  uint64_t next; /* key of the next ones of this parent; 0: no more */
  uint32_t n;
};
static struct lg_table births;

/* ---- the table ---- */

static unsigned bucket(int what, long handle)
{
  return (unsigned)(lg_mix((uint64_t)what, (uint64_t)handle) >> (64 - TABLE_BITS));
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

/* born draws the place of a new one among those of `parent` with these members. They are of no use any more when `owner`, of which
 * parent is a hash, is freed; NULL: it never is. */
static uint32_t born(struct lg_comm_ref *owner, uint64_t parent, uint64_t members)
{
  uint64_t key = lg_mix(lg_mix(ID_SEED, parent), members) | LG_KEYS;
  struct births *b = lg_table_put(&births, sizeof *b, key);
  if (!b)
    return 0;
  if (b->key == key)
    return b->n++;
  *b = (struct births){.key = key, .next = owner ? owner->births : 0, .n = 1};
  if (owner)
    owner->births = key;
  return 0;
}

static void forget_births(struct lg_comm_ref *owner)
{
  struct births *b;
  for (uint64_t key = owner->births; key && (b = lg_table_get(&births, sizeof *b, key)) != NULL;) {
    key = b->next;
    lg_table_drop(&births, sizeof *b, b);
  }
  owner->births = 0;
}

/* ---- records ---- */

struct birth { /* what a new record says */
  int what;
  long handle;
  uint32_t flags, state, thread;
  int rank;
  uint32_t place; /* among those of its parent with these members */
  uint64_t id, parent;
  struct lg_members local, remote;
  struct lg_neighbours near;
};

static struct lg_comm *record(const struct birth *b)
{
  uint32_t nl = lg_members_ranges(&b->local, NULL), nr = lg_members_ranges(&b->remote, NULL);
  uint32_t near = (uint32_t)(b->near.nsources + b->near.ndests) * (uint32_t)sizeof(int32_t);
  uint32_t fixed = ((uint32_t)(sizeof(struct lg_comm) - sizeof(struct lg_rec)) + (nl + nr) * (uint32_t)sizeof(struct lg_range) + near + 7) & ~7u;
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
  lg_members_ranges(&b->local, (struct lg_range *)(r + 1));
  lg_members_ranges(&b->remote, (struct lg_range *)(r + 1) + nl);
  r->nsources = (uint16_t)b->near.nsources;
  r->ndests = (uint16_t)b->near.ndests;
  int32_t *list = (int32_t *)((struct lg_range *)(r + 1) + nl + nr);
  for (int i = 0; i < b->near.nsources; i++)
    *list++ = b->near.sources[i];
  for (int i = 0; i < b->near.ndests; i++)
    *list++ = b->near.dests[i];
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
  n->ref.record = r;
  n->ref.live = (struct lg_comm_live *)((char *)r + sizeof(struct lg_rec) + r->h.fixed);
  return &n->ref;
}

static int kind_of(int what)
{
  return what == LG_HANDLE_WIN ? P_win : what == LG_HANDLE_FILE ? P_file : P_comm;
}

static struct lg_comm_ref **like(uint32_t flags, uint64_t members)
{
  return &freed[lg_mix(flags, members) >> (64 - TABLE_BITS)];
}

void lg_comm_free(struct lg_comm_ref *r)
{
  __atomic_store_n(&r->live->freed, 1, __ATOMIC_RELEASE);
  if (r->what == LG_HANDLE_WIN) {
    lg_locks_forget(r->index);
    lg_window_free(r->win);
    r->win = NULL;
  }
  if (r->use)
    lg_freed_put(kind_of(r->what), r->handle, r->use - 1);
  forget_births(r);
  r->freed = true;
  lg_comm_gen++;
  struct lg_comm_ref **p = &table[bucket(r->what, r->handle)];
  while (*p && *p != r)
    p = link_of(*p);
  if (*p)
    *p = *link_of(r);
  p = like(r->flags, r->members);
  *link_of(r) = *p;
  *p = r;
  freed_last[bucket(r->what, r->handle)] = r;
}

const struct lg_comm_ref *lg_comm_find_freed(int what, long handle)
{
  const struct lg_comm_ref *r = freed_last[bucket(what, handle)];
  return r && r->freed && r->handle == handle && r->what == what ? r : NULL;
}

/* freed_like takes a freed communicator with these members off the list. */
static struct lg_comm_ref *freed_like(uint32_t flags, uint64_t members)
{
  for (struct lg_comm_ref **p = like(flags, members); *p; p = link_of(*p))
    if ((*p)->flags == flags && (*p)->members == members) {
      struct lg_comm_ref *r = *p;
      *p = *link_of(r);
      return r;
    }
  return NULL;
}

/* forget_messages makes the index of a freed communicator fit for a new one: all members begin to count at the same moment. */
static void forget_messages(uint32_t index)
{
  lg_chan_forget(index);
  lg_taken_forget(index);
  lg_wildcards_forget(index);
}

/* add keeps a new communicator, and lets go of what it was described by. */
static void add(struct birth *b)
{
  uint64_t members = lg_mix(b->local.hash, b->remote.hash) ^ b->near.hash;
  b->flags |= (b->local.n ? 0 : LG_COMM_UNKNOWN) | (b->near.known ? LG_COMM_TOPOLOGY : 0);
  struct lg_comm_ref *old = lg_comm_find(b->what, b->handle);
  if (old)
    lg_comm_free(old); /* the handle was given out anew: the old one is gone */
  struct lg_comm_ref *r = freed_like(b->flags, members);
  if (r)
    forget_messages(r->index);
  else
    r = recorded(b);
  if (!r)
    return;
  struct lg_comm_live *live = r->live;
  *r = (struct lg_comm_ref){.handle = b->handle, .born = ++nborn, .index = r->index, .what = (uint8_t)b->what, .flags = b->flags, .id = b->id, .members = members, .record = r->record, .local = b->local.hash, .remote = b->remote.hash, .live = live, .history = r->history, .alone = b->what == LG_HANDLE_FORMING || (b->local.n == 1 && b->remote.n == 0),
                            .rank = b->rank, .size = b->local.n, .remote_size = b->remote.n, .freed_state = LG_NO_INDEX, .slots = b->near.slots, .nobody = b->near.nobody};
  live->coll = 0;
  if (r->history)
    lg_history_reset(r->history);
  live->id = b->id;
  live->parent = b->parent;
  live->place = b->place;
  live->spawned_ns = 0;
  live->by_thread = b->thread;
  live->state = b->state;
  __atomic_store_n(&live->freed, 0, __ATOMIC_RELEASE);
  unsigned k = bucket(b->what, b->handle);
  *link_of(r) = table[k];
  table[k] = r;
  lg_comm_gen++;
}

/* inherit gives a birth the members that another communicator has, without asking MPI. false: they are not known. */
static bool inherit(struct birth *b, const struct lg_comm_ref *from, bool inter)
{
  if (from->what != LG_HANDLE_COMM || from->size <= 0 || from->rank < 0 || inter != !!(from->flags & LG_COMM_INTER) ||
      (inter && from->remote_size <= 0))
    return false;
  const struct lg_range *runs = (const struct lg_range *)(from->record + 1);
  b->rank = from->rank;
  b->local = (struct lg_members){.n = from->size, .runs = runs, .nruns = from->record->nranges, .hash = from->local};
  if (inter)
    b->remote = (struct lg_members){
        .n = from->remote_size, .runs = runs + from->record->nranges, .nruns = from->record->nremote, .hash = from->remote};
  return true;
}

bool lg_comm_in_world(const struct lg_comm_ref *r)
{
  const struct lg_range *runs = (const struct lg_range *)(r->record + 1);
  bool all = r->size > 0;
  for (uint32_t i = 0; i < r->record->nranges && all; i++)
    all = runs[i].start >= 0;
  return all;
}

static uint64_t set_of_hashes(uint64_t l, uint64_t r, bool inter)
{
  return inter ? lg_mix(1, l < r ? lg_mix(l, r) : lg_mix(r, l)) : l;
}

/* set_of is the same for both groups of an intercommunicator. */
static uint64_t set_of(const struct lg_members *l, const struct lg_members *r)
{
  return set_of_hashes(l->hash, r->hash, r->n > 0);
}

/* name_at gives it the id of its place. Where members are of several worlds, readers make another one (model/runfiles/worldjoiner.go). */
static void name_at(struct birth *b, uint64_t parent, uint32_t place)
{
  b->place = place;
  b->id = lg_mix(lg_mix(lg_mix(parent, set_of(&b->local, &b->remote)), place), ID_SEED) | 1;
}

static void name(struct birth *b, struct lg_comm_ref *owner, uint64_t parent)
{
  name_at(b, parent, born(owner, parent, set_of(&b->local, &b->remote)));
}

uint32_t lg_comm_next_place(struct lg_comm_ref *parent)
{
  return born(parent, parent->id, set_of_hashes(parent->local, parent->remote, parent->remote_size > 0));
}

/* made keeps a communicator that was made; parent NULL: it has none. same: it has the members of the parent, unless one has two groups and
 * the other one. place: NULL, it is the next one of its parent with these members. */
static void made(struct lg_call *c, long handle, struct lg_comm_ref *parent, bool same, uint32_t flags, uint32_t state,
                 const uint32_t *place)
{
  uint64_t id = parent ? parent->id : 0;
  if (handle == 0 || handle == lg_fam.comm_null || !lg_world_known())
    return;
  struct birth b = {.what = LG_HANDLE_COMM, .handle = handle, .flags = flags, .state = state, .thread = c->thr->pub->index, .rank = -1, .parent = id};
  bool inter = lg_is_inter(handle);
  if (!same || !inherit(&b, parent, inter)) {
    b.rank = lg_members_of_comm(handle, &b.local);
    if (inter)
      lg_members_remote(handle, &b.remote);
  }
  if (inter)
    b.flags |= LG_COMM_INTER;
  else
    lg_neighbours_of(handle, b.rank, &b.near);
  if (place)
    name_at(&b, id, *place);
  else
    name(&b, parent, id);
  add(&b);
  lg_members_forget(&b.local);
  lg_members_forget(&b.remote);
  free(b.near.sources);
  free(b.near.dests);
}

void lg_comm_made(struct lg_call *c, long handle, struct lg_comm_ref *parent, uint32_t state)
{
  made(c, handle, parent, parent && c->desc->traits & TRAIT_same_members, 0, state, NULL);
}

void lg_comm_made_at(struct lg_call *c, long handle, struct lg_comm_ref *parent, uint32_t place, uint32_t state)
{
  made(c, handle, parent, true, 0, state, &place);
}

void lg_comm_parent(struct lg_call *c, long handle, uint32_t state)
{
  made(c, handle, NULL, false, LG_COMM_TO_PARENT, state, NULL);
}

void lg_comm_like(struct lg_call *c, int what, long handle, struct lg_comm_ref *parent, uint32_t state)
{
  struct birth b = {.what = what, .handle = handle, .state = state, .thread = c->thr->pub->index, .rank = -1, .parent = parent->id};
  if (!inherit(&b, parent, false))
    b.rank = lg_members_of_comm(parent->handle, &b.local);
  name(&b, parent, lg_mix(parent->id, (uint64_t)what));
  b.flags = what == LG_HANDLE_WIN ? LG_COMM_WINDOW : LG_COMM_FILE;
  add(&b);
  lg_members_forget(&b.local);
}

/* forming notes a communicator that these members are about to make. They may
 * be known in different orders on either side, so they are put into one. */
static struct lg_comm_ref *forming(struct lg_call *c, struct lg_members *m, struct lg_comm_ref *parent, uint32_t state)
{
  uint64_t id = parent ? parent->id : 0;
  struct birth b = {.what = LG_HANDLE_FORMING, .handle = (long)c->thr, .state = state, .thread = c->thr->pub->index, .rank = -1, .parent = id, .flags = LG_COMM_FORMING};
  lg_members_sort(m);
  b.local = *m;
  name(&b, parent, lg_mix(id, (uint64_t)b.what));
  add(&b);
  return lg_comm_find(b.what, b.handle);
}

struct lg_comm_ref *lg_comm_forming(struct lg_call *c, long group, long group2, struct lg_comm_ref *parent, uint32_t state)
{
  struct lg_members m;
  struct lg_comm_ref *r = lg_members_of_groups(group, group2, &m) ? forming(c, &m, parent, state) : NULL;
  lg_members_forget(&m);
  return r;
}

/* lg_comm_meeting: the two leaders of MPI_Intercomm_create meet in a
 * communicator of their own making. */
struct lg_comm_ref *lg_comm_meeting(struct lg_call *c, long comm, int leader, struct lg_comm_ref *parent, uint32_t state)
{
  struct lg_members m;
  struct lg_comm_ref *r = lg_members_pair(comm, leader, &m) ? forming(c, &m, parent, state) : NULL;
  lg_members_forget(&m);
  return r;
}

static void predefined(long handle, uint32_t flag, uint64_t id)
{
  struct birth b = {.what = LG_HANDLE_COMM, .handle = handle, .flags = flag, .state = LG_NO_INDEX, .id = id};
  b.rank = lg_members_of_comm(handle, &b.local);
  add(&b);
  lg_members_forget(&b.local);
}

void lg_comm_start(void)
{
  if (!lg_world_from_comm(lg_fam.comm_world)) {
    lg_turn_off("this MPI does not answer MPI_Comm_rank");
    return;
  }
  /* Processes that were spawned have a world of their own; which one is known by the launcher's name for it. */
  predefined(lg_fam.comm_world, LG_COMM_WORLD, lg_rank->spawned && lg_rank->world ? lg_mix(lg_rank->world, WORLD_ID) | 1 : WORLD_ID);
  predefined(lg_fam.comm_self, LG_COMM_SELF, lg_mix(SELF_SEED, (uint64_t)lg_rank->rank) | 1);
}
