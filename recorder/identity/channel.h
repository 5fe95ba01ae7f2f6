/* Channels: how many messages went between this rank and a peer on a communicator
 * and tag. MPI keeps messages of a channel in order, so two counts, one at each
 * end, tell whether a pending operation has its partner. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "identity/state.h"

struct lg_chan {
  struct lg_channel *pub; /* in the file */
  struct lg_origin *from; /* in the file; NULL before it sends */
  const struct lg_st *sender; /* the call that from is about */
  uint32_t comm;
  int32_t peer, tag;
  uint32_t recent; /* it was used since the search for an old one last passed */
};

enum { LG_SENDING, LG_RECEIVING };

#pragma GCC visibility push(hidden)

/* The channel, looked for first where this call site found it last (way:
 * LG_SENDING or LG_RECEIVING). NULL: no room. */
struct lg_chan *lg_chan_get(struct lg_st *st, int way, uint32_t comm, int peer, int tag);
void lg_chan_forget(uint32_t comm); /* no message was sent or received on it yet */
struct lg_chan *lg_chan_known(uint32_t comm, int peer, int tag); /* NULL: there is none */

#pragma GCC visibility pop

/* lg_wild tells whether a receive does not name its channel. */
static inline bool lg_wild(int peer, int tag)
{
  return peer == LG_ANY || tag == LG_ANY;
}

/* lg_count_send counts a message on its channel and returns its number, from 1;
 * 0 unknown. */
static inline uint64_t lg_count_send(struct lg_st *st, uint32_t comm, int peer, int tag)
{
  struct lg_chan *ch = lg_chan_get(st, LG_SENDING, comm, peer, tag);
  return ch ? ++ch->pub->sent : 0;
}

/* lg_count_recv does so for a receive. One with a wildcard is counted once it is
 * known what it matched. */
static inline uint64_t lg_count_recv(struct lg_st *st, uint32_t comm, int peer, int tag)
{
  if (peer < 0 || tag == LG_ANY)
    return 0;
  struct lg_chan *ch = lg_chan_get(st, LG_RECEIVING, comm, peer, tag);
  return ch ? ++ch->pub->received : 0;
}
