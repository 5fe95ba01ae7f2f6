/* Events of the recording of usage (docs/reference/format.md): where they go, and how the
 * values of one are written. */
#pragma once

#include "base/base.h"
#include "base/leb.h"
#include "format.h"
#include "usage/recording.h"

#define LG_NUMBERS(n) ((size_t)(n)*10) /* bytes of n numbers, at most */
#define LG_EVENT_BODY (LG_NUMBERS(4) + LG_NUMBERS(2 * LG_MAX_PARAMS)) /* bytes of an event without its arrays, at most */

#pragma GCC visibility push(hidden)

/* Room for an event; a block begins with the counters, so that each can be read
 * alone. NULL: the stream has ended. */
unsigned char *lg_event_begin(struct lg_usage *u, size_t most);
void lg_event_end(struct lg_usage *u, unsigned char *end);
/* Numbers the event of a call; while one thread alone calls MPI the number need
 * not be written. */
unsigned char *lg_event_number(struct lg_usage *u, unsigned char *p);
void lg_event_number_back(struct lg_usage *u, uint64_t clock); /* the events since did not happen */
/* Writes the scalars that differ from the last ones, which are changed, and the arrays. */
unsigned char *lg_event_body(unsigned char *p, struct lg_usage *u, int64_t *last);
/* A whole event of a call whose outputs mean nothing. */
void lg_event_plain(struct lg_usage *u, enum lg_use kind, uint64_t value);
void lg_event_note(struct lg_usage *u, int kind, uint64_t call, uint64_t seen, int64_t value);

int64_t *lg_array_room(struct lg_usage *u, uint32_t n); /* for an array's values; NULL: no memory */
size_t lg_array_bytes(const struct lg_array *a);        /* of lg_array_write, at most */
unsigned char *lg_array_write(unsigned char *p, const int64_t *v, const struct lg_array *a);
void lg_array_ahead(struct lg_usage *u, const int64_t *v, const struct lg_array *a); /* what is too long for its event */
size_t lg_arrays_ahead(struct lg_usage *u); /* all of this event; returns the bytes of the rest */

#pragma GCC visibility pop

/* What an event begins with. */
static inline unsigned char *lg_event_head(unsigned char *p, enum lg_use kind, uint64_t value)
{
  return lg_put_u(p, value << 3 | (uint64_t)kind);
}
