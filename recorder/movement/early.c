/* What a program allocates before its first MPI call, when there is no file to
 * write to yet: kept in memory, as long as it lives, with the address of the
 * call in place of a stack. Processes that never call MPI leave it at that. */
#define _GNU_SOURCE
#include <string.h>
#include "moves.h"

#define PLACES (1u << 15) /* half of them are used */

static struct lg_early *table;
static uint32_t used; /* places that are not free, deleted ones included */
static int lock;
static struct lg_early deleted; /* its address stands for a buffer that is gone */

static uint32_t place(const void *p)
{
  return (uint32_t)(((uint64_t)p * 0x9e3779b97f4a7c15ull) >> 49);
}

/* A thread, or handler, that finds the table in use leaves its buffer out. */
static bool hold(void)
{
  return !__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE);
}

static void let_go(void)
{
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

void lg_early_alloc(const char *function, const void *p, size_t n, uint64_t ra)
{
  if (lg_started || lg_off || used >= PLACES / 2 || !hold())
    return;
  if (!table)
    table = lg_pages(sizeof *table * PLACES);
  if (table) {
    uint32_t k = place(p);
    while (table[k].p && table[k].p != &deleted && table[k].p != p)
      k = (k + 1) & (PLACES - 1);
    used += !table[k].p;
    table[k] = (struct lg_early){p, n, ra, function};
  }
  let_go();
}

void lg_early_free(const void *p)
{
  if (lg_started || !table || !hold())
    return;
  for (uint32_t k = place(p); table[k].p; k = (k + 1) & (PLACES - 1))
    if (table[k].p == p)
      table[k].p = &deleted;
  let_go();
}

void lg_early_each(void (*f)(const struct lg_early *))
{
  if (!table || !hold()) /* it is never let go: nothing comes any more */
    return;
  for (uint32_t k = 0; k < PLACES; k++)
    if (table[k].p && table[k].p != &deleted)
      f(&table[k]);
}
