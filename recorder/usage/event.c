#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "base/locks.h"
#include "base/pages.h"
#include "file/stream.h"
#include "usage/event.h"

#define VERSION 1
#define INLINE 512     /* values of an array within the event; those of longer ones go before it */
#define SPARE_VALUES 4096
#define BLOCK_BYTES 32  /* of what a block begins with, at most */

static uint64_t numbers; /* of events of the process, counted */

/* ---- room ---- */

int64_t *lg_array_room(struct lg_usage *u, uint32_t n)
{
  if (u->nvalues + n > u->room) {
    uint32_t room = (u->nvalues + n + SPARE_VALUES) * 2;
    int64_t *more = lg_pages(room * sizeof *more);
    if (!more)
      return NULL;
    if (u->values) {
      memcpy(more, u->values, u->nvalues * sizeof *more);
      munmap(u->values, u->room * sizeof *more);
    }
    u->values = more;
    u->room = room;
  }
  u->nvalues += n;
  return u->values + u->nvalues - n;
}

static unsigned char *write_counters(struct lg_usage *u, unsigned char *p)
{
  p = lg_event_head(p, LG_USE_BLOCK, (uint64_t)VERSION << 1 | (uint64_t)u->numbered);
  p = lg_put_u(p, u->clock);
  return lg_put_u(p, u->calling);
}

unsigned char *lg_event_begin(struct lg_usage *u, size_t most)
{
  unsigned char *p = lg_stream_begin(u->stream, most + BLOCK_BYTES);
  if (unlikely(!p))
    return NULL;
  if (unlikely(u->block != u->stream->block + 1 || u->numbered != lg_shared)) {
    u->block = u->stream->block + 1;
    u->numbered = lg_shared;
    u->poll.begin = u->poll.here = NULL;
    u->poll.again = false;
    p = write_counters(u, p);
    lg_stream_end(u->stream, p);
  }
  return p;
}

void lg_event_end(struct lg_usage *u, unsigned char *end)
{
  lg_stream_end(u->stream, end);
}

unsigned char *lg_event_number(struct lg_usage *u, unsigned char *p)
{
  if (likely(!u->numbered)) {
    u->clock = ++numbers;
    return p;
  }
  uint64_t now = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  p = lg_put_u(p, now - u->clock);
  u->clock = now;
  return p;
}

void lg_event_number_back(struct lg_usage *u, uint64_t clock)
{
  u->clock = clock;
  if (!u->numbered)
    numbers = clock;
}

/* ---- arrays ---- */

static unsigned char *write_values(unsigned char *p, const int64_t *v, uint32_t n, uint32_t width)
{
  for (uint32_t i = 0; i < n; i++)
    p = lg_put_s(p, (int64_t)((uint64_t)v[i] - (i < width ? 0 : (uint64_t)v[i - width])));
  return p;
}

size_t lg_array_bytes(const struct lg_array *a)
{
  return LG_NUMBERS(1 + (a->n <= INLINE ? a->n : 0));
}

unsigned char *lg_array_write(unsigned char *p, const int64_t *v, const struct lg_array *a)
{
  if (!a->known)
    return lg_put_u(p, 0);
  p = lg_put_u(p, ((uint64_t)a->n << 1 | a->cut) + 1);
  return a->n <= INLINE ? write_values(p, v, a->n, a->width) : p;
}

void lg_array_ahead(struct lg_usage *u, const int64_t *v, const struct lg_array *a)
{
  if (!a->known || a->n <= INLINE)
    return;
  for (uint32_t i = 0; i < a->n; i += INLINE) {
    uint32_t n = a->n - i < INLINE ? a->n - i : INLINE;
    unsigned char *p = lg_event_begin(u, LG_NUMBERS(2 + INLINE));
    if (!p)
      return;
    p = lg_event_head(p, LG_USE_PART, (uint64_t)n << 3 | a->width);
    lg_event_end(u, write_values(p, v + i, n, a->width));
  }
}

size_t lg_arrays_ahead(struct lg_usage *u)
{
  size_t bytes = 0;
  for (uint32_t i = 0; i < u->v.narrays; i++) {
    const struct lg_array *a = &u->v.array[i];
    lg_array_ahead(u, u->values + a->at, a);
    bytes += lg_array_bytes(a);
  }
  return bytes;
}

/* ---- whole events ---- */

unsigned char *lg_event_body(unsigned char *p, struct lg_usage *u, int64_t *last)
{
  uint64_t mask = 0;
  uint32_t n = u->v.nscalars;
  const int64_t *v = u->v.scalar;
  for (uint32_t i = 0; i < n; i++)
    mask |= (uint64_t)(v[i] != last[i]) << i;
  p = lg_put_u(p, mask);
  for (; mask; mask &= mask - 1) {
    int i = __builtin_ctzll(mask);
    p = lg_put_s(p, (int64_t)((uint64_t)v[i] - (uint64_t)last[i]));
    last[i] = v[i];
  }
  for (uint32_t i = 0; i < u->v.narrays; i++)
    p = lg_array_write(p, u->values + u->v.array[i].at, &u->v.array[i]);
  return p;
}

void lg_event_plain(struct lg_usage *u, enum lg_use kind, uint64_t value)
{
  unsigned char *p = lg_event_begin(u, LG_NUMBERS(4));
  if (!p)
    return;
  p = lg_event_head(p, kind, value);
  if (kind != LG_USE_EMPTY) /* nothing changed in what it returned; or nothing is said of it */
    *p++ = 0;
  lg_event_end(u, lg_event_number(u, p));
  u->calling = 0;
}

void lg_event_note(struct lg_usage *u, int kind, uint64_t call, uint64_t seen, int64_t value)
{
  unsigned char *p = lg_event_begin(u, LG_NUMBERS(6));
  if (!p)
    return;
  p = lg_event_head(p, LG_USE_DEFINE, LG_DEF_NOTE);
  p = lg_put_u(p, (uint64_t)kind);
  p = lg_put_u(p, call);
  p = lg_put_u(p, seen);
  lg_event_end(u, lg_put_s(p, value));
}
