/* The slow half of the cache: making it, filling it. */
#include "base/pages.h"
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

void lg_cache_keep(struct lg_cache *c, const void *key, uint64_t mark, uint64_t ra, uint64_t cfa,
                   const struct lg_trace *tr, const struct lg_slot_check *more, int nmore, void *what)
{
  if (!lg_cache_native(c, cfa) || !tr->n || tr->pc[0] != ra)
    return;
  for (int i = 1; i < tr->n; i++)
    if (!tr->slot[i])
      return; /* a signal interrupted code that keeps its return address in a register */
  if (c->nchecks + LG_MAX_FRAMES + (uint32_t)nmore > c->room)
    lg_cache_clear(c);
  struct lg_cached *set = lg_cache_set(c, ra ^ mark, cfa), *e = &set[c->next++ % LG_CACHE_WAYS];
  for (int i = 0; i < LG_CACHE_WAYS; i++)
    if (set[i].gen != c->gen)
      e = &set[i];
  struct lg_slot_check *check = c->checks + c->nchecks;
  for (int i = 1; i < tr->n; i++)
    check[i - 1] = (struct lg_slot_check){(const uint64_t *)tr->slot[i], *(const uint64_t *)tr->slot[i]};
  for (int i = 0; i < nmore; i++)
    check[tr->n - 1 + i] = more[i];
  c->nchecks += (uint32_t)(tr->n + nmore);
  *e = (struct lg_cached){.name = ra ^ mark, .cfa = cfa, .key = key, .what = what, .check = check,
                          .nchecks = (uint32_t)(tr->n - 1 + nmore), .gen = c->gen};
}
