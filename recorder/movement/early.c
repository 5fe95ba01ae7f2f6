#define _GNU_SOURCE
#include <dlfcn.h>
#include "base/hash.h"
#include "base/pages.h"
#include "base/recording.h"
#include "movement/early.h"

#define MOST 16384 /* buffers that live at once */
#define PLACES_BITS 15 /* twice as many, as a power of two */
#define PLACES (1 << PLACES_BITS)

static struct lg_early *buffers; /* without gaps: few pages are touched where there are few */
static uint32_t nbuffers;
static uint16_t *places; /* by address: the number of a buffer, plus one; 0 free */
static int lock;

static uint32_t home(const void *p)
{
  return lg_spread((uint64_t)p, PLACES_BITS);
}

static uint32_t next(uint32_t k)
{
  return (k + 1) & (PLACES - 1);
}

/* find is the place of a buffer, or the free one where it would be. */
static uint32_t find(const void *p)
{
  uint32_t k = home(p);
  while (places[k] && buffers[places[k] - 1].p != p)
    k = next(k);
  return k;
}

/* empty frees a place; those behind it that were pushed on by it move up. */
static void empty(uint32_t hole)
{
  for (uint32_t k = next(hole); places[k]; k = next(k)) {
    uint32_t from_home = (k - home(buffers[places[k] - 1].p)) & (PLACES - 1);
    if (from_home < ((k - hole) & (PLACES - 1)))
      continue;
    places[hole] = places[k];
    hole = k;
  }
  places[hole] = 0;
}

/* A launcher or a shell is preloaded as well, and never will call MPI: it is not
 * linked with it. */
static bool calls_mpi(void)
{
  static enum { UNKNOWN, YES, NO } answer;
  if (answer == UNKNOWN)
    answer = dlsym(RTLD_DEFAULT, "PMPI_Init") ? YES : NO;
  return answer == YES;
}

static bool make(void)
{
  if (!buffers)
    buffers = lg_pages(sizeof *buffers * MOST);
  if (!places)
    places = lg_pages(sizeof *places * PLACES);
  return buffers && places;
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
  if (lg_started || lg_off || !hold())
    return;
  if (calls_mpi() && make()) {
    uint32_t k = find(p);
    if (!places[k] && nbuffers < MOST)
      places[k] = (uint16_t)++nbuffers;
    if (places[k])
      buffers[places[k] - 1] = (struct lg_early){p, n, ra, function};
  }
  let_go();
}

void lg_early_free(const void *p)
{
  if (lg_started || !places || !hold())
    return;
  uint32_t k = find(p), gone = places[k];
  if (gone) {
    empty(k);
    struct lg_early *last = &buffers[--nbuffers];
    if (gone <= nbuffers) { /* the last one takes its number */
      places[find(last->p)] = (uint16_t)gone;
      buffers[gone - 1] = *last;
    }
  }
  let_go();
}

void lg_early_each(void (*f)(const struct lg_early *))
{
  if (!buffers || !hold()) /* it is never let go: nothing comes any more */
    return;
  for (uint32_t i = 0; i < nbuffers; i++)
    f(&buffers[i]);
}
