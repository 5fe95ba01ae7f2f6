/* The slow half of the cache: making it, filling it. */
#include "base/pages.h"
#include "base/peek.h"
#include "machine/machine.h"
#include "stack/cache.h"

bool lg_cache_make(struct lg_cache *c, uint32_t bits, uint32_t checks)
{
  c->entries = lg_pages((sizeof *c->entries * LG_CACHE_WAYS) << bits);
  c->checks = lg_pages(sizeof *c->checks * checks);
  c->shift = 64 - bits;
  c->room = checks;
  c->gen = 1; /* entries that were never used have 0 */
  return c->entries && c->checks;
}

void lg_cache_clear(struct lg_cache *c)
{
  c->gen++;
  c->nchecks = 0;
}

bool lg_cache_native(const struct lg_cache *c, uint64_t cfa)
{
  return cfa > c->stack_lo && cfa < c->stack_hi;
}

void lg_cache_unwind(const struct lg_cache *c, uint64_t cfa, struct lg_trace *out)
{
  lg_unwind_caller(cfa, lg_cache_native(c, cfa) ? c->stack_hi : 0, out);
}

#define FOREIGN 0x666f726569676eu /* any number: so the names of stacks of the program's own making are no others' */

static uint64_t name_of(const struct lg_cache *c, uint64_t mark, uint64_t ra, uint64_t cfa)
{
  return ra ^ mark ^ (lg_cache_native(c, cfa) ? 0 : FOREIGN);
}

#define FOREIGN_WORDS 256 /* of such a stack, from the first return address to the last, that are compared at most */

/* fits tells whether return addresses can be compared in one piece of a stack, from the second frame on. */
static bool fits(const struct lg_trace *tr)
{
  for (int i = 2; i < tr->n; i++)
    if (tr->slot[i] <= tr->slot[i - 1] || (tr->slot[i] - tr->slot[1]) % sizeof(uint64_t))
      return false;
  return tr->n < 2 || tr->slot[tr->n - 1] - tr->slot[1] < FOREIGN_WORDS * sizeof(uint64_t);
}

static bool verified_foreign(const struct lg_cached *e)
{
  uint64_t now[FOREIGN_WORDS];
  if (!e->nchecks)
    return true;
  const uint64_t *first = e->check[0].where;
  size_t bytes = sizeof *first * (size_t)(e->check[e->nchecks - 1].where - first + 1);
  if (lg_peek((uint64_t)first, now, bytes) != bytes)
    return false;
  for (uint32_t i = 0; i < e->nchecks; i++)
    if (now[e->check[i].where - first] != e->check[i].value)
      return false;
  return true;
}

void *lg_cache_find_foreign(const struct lg_cache *c, const void *key, uint64_t ra, uint64_t cfa)
{
  if (lg_cache_native(c, cfa))
    return NULL;
  uint64_t name = name_of(c, 0, ra, cfa);
  struct lg_cached *set = lg_cache_set(c, name, cfa);
  for (struct lg_cached *e = set; e < set + LG_CACHE_WAYS; e++)
    if (e->name == name && e->cfa == cfa && e->gen == c->gen && e->key == key && verified_foreign(e))
      return e->what;
  return NULL;
}

void lg_cache_keep(struct lg_cache *c, const void *key, uint64_t mark, uint64_t ra, uint64_t cfa,
                   const struct lg_trace *tr, const struct lg_slot_check *more, int nmore, void *what)
{
  if (!tr->n || tr->pc[0] != ra)
    return;
  if (!lg_cache_native(c, cfa) && (mark || nmore || !fits(tr)))
    return;
  for (int i = 1; i < tr->n; i++)
    if (!tr->slot[i])
      return; /* a signal interrupted code that keeps its return address in a register */
  if (c->nchecks + LG_MAX_FRAMES + (uint32_t)nmore > c->room)
    lg_cache_clear(c);
  uint64_t name = name_of(c, mark, ra, cfa);
  struct lg_cached *set = lg_cache_set(c, name, cfa), *e = &set[c->next++ % LG_CACHE_WAYS];
  for (int i = 0; i < LG_CACHE_WAYS; i++)
    if (set[i].gen != c->gen)
      e = &set[i];
  struct lg_slot_check *check = c->checks + c->nchecks;
  for (int i = 1; i < tr->n; i++)
    check[i - 1] = (struct lg_slot_check){(const uint64_t *)tr->slot[i], *(const uint64_t *)tr->slot[i]};
  for (int i = 0; i < nmore; i++)
    check[tr->n - 1 + i] = more[i];
  c->nchecks += (uint32_t)(tr->n + nmore);
  *e = (struct lg_cached){.name = name, .cfa = cfa, .key = key, .what = what, .check = check,
                          .nchecks = (uint32_t)(tr->n - 1 + nmore), .gen = c->gen};
}

static const struct lg_cached *kept(const struct lg_cache *c, const void *key, uint64_t cfa, const void *what)
{
  for (size_t i = 0; i < (size_t)LG_CACHE_WAYS << (64 - c->shift); i++)
    if (c->entries[i].cfa == cfa && c->entries[i].gen == c->gen && c->entries[i].key == key && c->entries[i].what == what)
      return &c->entries[i];
  return NULL;
}

bool lg_cache_recall(const struct lg_cache *c, const void *key, uint64_t ra, uint64_t cfa, const void *what, struct lg_trace *out)
{
  const struct lg_cached *e = kept(c, key, cfa, what);
  if (!e || !LG_RETURN_BELOW_CFA)
    return false;
  *out = (struct lg_trace){.n = 1, .pc = {ra}, .slot = {cfa - LG_RETURN_BELOW_CFA}, .sp = {cfa}};
  for (uint32_t i = 0; i < e->nchecks && out->n < LG_MAX_FRAMES; i++) {
    uint64_t slot = (uint64_t)e->check[i].where;
    if (slot <= out->slot[out->n - 1] || slot >= c->stack_hi)
      break; /* it is no return address */
    out->pc[out->n] = e->check[i].value;
    out->slot[out->n] = slot;
    out->sp[out->n++] = slot + LG_RETURN_BELOW_CFA;
  }
  return true;
}
