#include "base/table.h"
#include "file/rank.h"
#include "identity/request.h"

static struct lg_table table;

struct lg_req *lg_req_get(int space, long handle)
{
  return lg_table_get(&table, sizeof(struct lg_req), lg_key(space, handle));
}

/* gone: nothing is left of what a call made. */
static void gone(const struct lg_req *r)
{
  if (r->by)
    r->by->unfreed--;
  if (r->made)
    r->made->freed++;
}

struct lg_req *lg_req_put(int space, long handle)
{
  uint64_t key = lg_key(space, handle);
  struct lg_req *r = lg_table_put(&table, sizeof *r, key);
  if (!r) {
    lg_rank->lost_requests++;
    return NULL;
  }
  if (r->key == key)
    gone(r);
  *r = (struct lg_req){.key = key, .active = true, .peer2 = LG_NONE};
  return r;
}

void lg_req_drop(struct lg_req *r)
{
  gone(r);
  lg_table_drop(&table, sizeof *r, r);
}

const struct lg_req *lg_req_next(uint32_t *i)
{
  const struct lg_req *all = (const struct lg_req *)__atomic_load_n(&table.at, __ATOMIC_ACQUIRE);
  for (; all && *i < table.size; ++*i)
    if (all[*i].key >= LG_KEYS && all[*i].active)
      return &all[(*i)++];
  return NULL;
}
