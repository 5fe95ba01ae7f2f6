#define _GNU_SOURCE
#include <sys/mman.h>
#include "base/hash.h"
#include "base/pages.h"
#include "file/rank.h"
#include "identity/request.h"

#define FIRST_REQUESTS 1024
#define MAX_REQUESTS (1u << 20)

enum { FREE, DELETED, KEYS }; /* the first keys; those of requests follow */

static struct lg_req *table;
static uint32_t size, used; /* used: live and deleted */
static uint32_t live;

static uint64_t key_of(int space, long handle)
{
  return ((uint64_t)handle << 2 | (uint64_t)space) + KEYS;
}

static uint32_t place(uint64_t key)
{
  return (uint32_t)((key * LG_GOLDEN) >> 32) & (size - 1);
}

static bool resize(void)
{
  uint32_t was = size, bigger = !size ? FIRST_REQUESTS : live * 4 > size ? size * 2 : size;
  struct lg_req *old = table, *fresh = bigger > MAX_REQUESTS ? NULL : lg_pages(sizeof *fresh * bigger);
  if (!fresh)
    return false;
  table = fresh;
  size = bigger;
  used = live;
  for (uint32_t i = 0; i < was; i++) {
    if (old[i].key < KEYS)
      continue;
    uint32_t k = place(old[i].key);
    while (table[k].key)
      k = (k + 1) & (size - 1);
    table[k] = old[i];
  }
  if (old)
    munmap(old, sizeof *old * was);
  return true;
}

struct lg_req *lg_req_get(int space, long handle)
{
  if (!size)
    return NULL;
  uint64_t key = key_of(space, handle);
  for (uint32_t k = place(key); table[k].key; k = (k + 1) & (size - 1))
    if (table[k].key == key)
      return &table[k];
  return NULL;
}

struct lg_req *lg_req_put(int space, long handle)
{
  if (used * 2 >= size && !resize()) {
    lg_rank->lost_requests++;
    return NULL;
  }
  uint64_t key = key_of(space, handle);
  struct lg_req *r = NULL;
  uint32_t k = place(key);
  for (; table[k].key && table[k].key != key; k = (k + 1) & (size - 1))
    if (table[k].key == DELETED && !r)
      r = &table[k];
  if (table[k].key == key) {
    r = &table[k];
  } else {
    live++;
    if (!r) {
      r = &table[k];
      used++;
    }
  }
  *r = (struct lg_req){.key = key, .active = true, .peer2 = LG_NONE};
  return r;
}

void lg_req_drop(struct lg_req *r)
{
  uint32_t next = (uint32_t)(r - table + 1) & (size - 1);
  live--;
  r->key = DELETED;
  if (table[next].key)
    return;
  for (uint32_t k = (uint32_t)(r - table); table[k].key == DELETED; k = (k - 1) & (size - 1)) {
    table[k].key = FREE; /* the chain ends here: nobody probes past it */
    used--;
  }
}

const struct lg_req *lg_req_next(uint32_t *i)
{
  const struct lg_req *all = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  for (; all && *i < size; ++*i)
    if (all[*i].key >= KEYS && all[*i].active)
      return &all[(*i)++];
  return NULL;
}
