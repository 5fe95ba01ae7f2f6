/* Streams of events: what a thread did, in order, for the analyses that need more
 * than the model. A committed event survives the death of the process. */
#pragma once

#include "base/base.h"
#include "base/recording.h"
#include "format.h"

#pragma GCC visibility push(hidden)

void lg_stream_start(void); /* at the start of the process, before the first open */
/* A stream of the calling thread, which alone writes to it; `thread` is its
 * index or LG_NO_THREAD. NULL: nothing is to be recorded. */
struct lg_stream *lg_stream_open(enum lg_stream_kind kind, uint32_t thread);
void lg_stream_close(struct lg_stream *s); /* packs the last block; the thread has ended, or is done */

struct lg_stream {
  unsigned char *at, *end;      /* where the next event goes, and the end of the room */
  struct lg_stream_chunk *live; /* NULL: the stream has ended */
  enum lg_stream_kind kind;
  uint32_t thread, number;
  uint64_t block;
};

unsigned char *lg_stream_next_block(struct lg_stream *s); /* begins a new block */

/* lg_stream_begin gives room for one event of at most `most` bytes (LG_BLOCK_SIZE / 4
 * or less); NULL: the stream has ended. A new block may have been begun: a writer
 * of events that build on earlier ones compares s->block. */
static inline unsigned char *lg_stream_begin(struct lg_stream *s, size_t most)
{
  if (unlikely(!s || !s->live || lg_off))
    return NULL;
  if (unlikely((size_t)(s->end - s->at) < most))
    return lg_stream_next_block(s);
  return s->at;
}

/* lg_stream_end commits the event that ends before `end`. */
static inline void lg_stream_end(struct lg_stream *s, unsigned char *end)
{
  s->at = end;
  __atomic_store_n(&s->live->used, (uint64_t)(end - (unsigned char *)(s->live + 1)), __ATOMIC_RELEASE);
}

#pragma GCC visibility pop
