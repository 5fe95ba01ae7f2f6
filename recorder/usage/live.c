#include <stdlib.h>
#include "base/hash.h"
#include "usage/typetable.h"
#include "usage/live.h"
#include "usage/race.h"

#define MOST (1u << 20)
#define BUCKET_BITS 12
#define TWINS 0x7fff   /* numbers that tell apart those with one handle */
#define TWIN_SHIFT 48  /* where such a number is in that of the request */
#define FIRST_REQUESTS 256

static struct lg_live *pool; /* number 0 is none */
static uint32_t room, used, free_; /* free_: linked by next */
static uint32_t bucket[1 << BUCKET_BITS];

static uint32_t *head_of(long handle)
{
  return &bucket[lg_mix(0, (uint64_t)handle) >> (64 - BUCKET_BITS)];
}

/* leave ends looking after the buffers. */
static void leave(struct lg_live *l)
{
  if (unlikely(l->operation))
    lg_race_ended(l->operation);
  l->into_begun = 0;
  if (l->sending.type)
    lg_type_drop(l->sending.type);
  if (l->receiving.type)
    lg_type_drop(l->receiving.type);
  l->sending.type = l->receiving.type = NULL;
}

/* find takes the newest in that variable, or the oldest that the call was not given already:
 * its array may be of copies. Of several that it may be, none is looked after any more. */
static uint32_t find(long handle, const void *where, uint64_t turn)
{
  uint32_t oldest = 0, left = 0, n = 0;
  for (uint32_t i = *head_of(handle); i; i = pool[i].next) {
    if (pool[i].handle != handle)
      continue;
    if (pool[i].where == where && pool[i].turn != turn)
      return i;
    oldest = i;
    if (pool[i].turn != turn)
      left = i;
    n++;
  }
  for (uint32_t i = n > 1 ? *head_of(handle) : 0; i; i = pool[i].next)
    if (pool[i].handle == handle)
      leave(&pool[i]);
  return left ? left : oldest;
}

static uint32_t take(void)
{
  if (free_) {
    uint32_t i = free_;
    free_ = pool[i].next;
    return i;
  }
  if (used + 1 >= room) {
    uint32_t more = room ? room * 2 : FIRST_REQUESTS;
    struct lg_live *p = more > MOST ? NULL : realloc(pool, more * sizeof *p);
    if (!p)
      return 0;
    pool = p;
    room = more;
  }
  return ++used;
}

static void drop(uint32_t n)
{
  uint32_t *p = head_of(pool[n].handle);
  while (*p && *p != n)
    p = &pool[*p].next;
  if (!*p)
    return;
  *p = pool[n].next;
  leave(&pool[n]);
  pool[n].next = free_;
  pool[n].handle = 0;
  free_ = n;
}

static int64_t number(uint32_t n, long handle)
{
  if (!n || !pool[n].twin)
    return handle;
  return (handle & ((1l << TWIN_SHIFT) - 1)) | (int64_t)pool[n].twin << TWIN_SHIFT;
}

/* A request that was
 * kept in the same variable under the same handle is overwritten, but goes on. */
int64_t lg_live_made(struct lg_usage *u, long handle, const void *where)
{
  static uint32_t twins;
  bool shared = false;
  for (uint32_t i = *head_of(handle); i; i = pool[i].next)
    shared |= pool[i].handle == handle;
  uint32_t n = take();
  u->made = n;
  if (!n)
    return handle;
  uint32_t *head = head_of(handle);
  pool[n] = (struct lg_live){.handle = handle, .where = where, .next = *head, .twin = shared ? twins++ % TWINS + 1 : 0};
  *head = n;
  return number(n, handle);
}

int64_t lg_live_number(struct lg_usage *u, long handle, const void *where, uint32_t k, bool after)
{
  static uint64_t turns;
  if (after)
    return number(k < u->ngiven ? u->given[k] : 0, handle);
  if (!u->ngiven)
    u->turn = ++turns;
  uint32_t n = find(handle, where, u->turn);
  if (k >= u->given_room) {
    uint32_t more = (k + 64) * 2;
    uint32_t *p = realloc(u->given, more * sizeof *p);
    if (!p)
      return handle;
    u->given = p;
    u->given_room = more;
  }
  while (u->ngiven <= k)
    u->given[u->ngiven++] = 0;
  u->given[k] = n;
  if (n)
    pool[n].turn = u->turn;
  return number(n, handle);
}

void lg_live_still(struct lg_usage *u, uint32_t k, bool gone)
{
  if (!gone || k >= u->ngiven || !u->given[k])
    return;
  drop(u->given[k]);
  u->given[k] = 0;
}

struct lg_live *lg_live_of(const struct lg_usage *u, uint32_t k)
{
  return k < u->ngiven && u->given[k] ? &pool[u->given[k]] : NULL;
}

struct lg_live *lg_live_at(uint32_t n)
{
  return &pool[n];
}

struct lg_live *lg_live_new(const struct lg_usage *u)
{
  return u->made ? &pool[u->made] : NULL;
}
