#include "base/locks.h"
#include "base/table.h"
#include "file/rank.h"
#include "identity/channel.h"
#include "identity/request.h"

static struct lg_table table;

struct lg_req *lg_req_get(int space, long handle)
{
  return lg_table_get(&table, sizeof(struct lg_req), lg_key(space, handle));
}

/* replaced: the library gave the handle of a receive to another request before it was noted that the receive is complete, as another
 * thread was faster. What it took is not counted then, or as taken by the other. */
static void replaced(const struct lg_req *r)
{
  if (r->active && r->kind == LG_OP_RECV && (lg_shared || lg_wild(r->peer, r->tag)))
    lg_rank->evicted++;
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
  if (r->key == key) {
    replaced(r);
    gone(r);
  }
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
