/* The requests that the program has. Both families of MPI give one handle to all
 * sends that were complete when they were begun; the recording has a number of
 * its own for each, found again by the variable that the handle is kept in. A
 * handle that was copied elsewhere is the oldest of those that share it, and in a list the
 * oldest of those that the list has not yet. */
#pragma once

#include "base/base.h"
#include "usage/recording.h"

#define LG_FIRST_BYTES 64

struct lg_live { /* a request that the program has a handle of */
  long handle;
  const void *where; /* the program's variable when it was made */
  uint32_t twin;     /* tells apart those that have one handle at once; 0 mostly */
  uint32_t next;     /* of its hash */
  uint64_t turn;     /* of the call that was given it last */
  struct lg_sending sending;
  struct lg_span receiving; /* all that is received, where it is known */
  uint64_t operation;       /* under way, as race.c has it; 0 none */
  /* the first bytes that are received, if they are checked (receiving.c) */
  const char *into;
  uint32_t into_size;
  bool into_large, over; /* over: the message went over what the program wrote */
  uint64_t into_begun;   /* as lg_sending.begun */
  uint64_t changed; /* number of the begin of the call before which the program wrote there; 0 none */
  char first[LG_FIRST_BYTES]; /* what they were last */
};

#pragma GCC visibility push(hidden)

int64_t lg_live_made(struct lg_usage *u, long handle, const void *where); /* the number of one that a call has returned */
/* The number of the k-th request that a call is given, or that is still there after it. */
int64_t lg_live_number(struct lg_usage *u, long handle, const void *where, uint32_t k, bool after);
void lg_live_still(struct lg_usage *u, uint32_t k, bool gone); /* what became of the k-th request of the call */
struct lg_live *lg_live_of(const struct lg_usage *u, uint32_t k); /* the k-th that the call was given; NULL */
struct lg_live *lg_live_at(uint32_t n);
struct lg_live *lg_live_new(const struct lg_usage *u); /* the one that it made; NULL */

#pragma GCC visibility pop
