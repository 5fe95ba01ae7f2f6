/* Persistent and partitioned requests for messages: how many a call made for a channel, and how often they were started. A request that
 * was never started is no pending operation, so nothing else tells of it. */
#pragma once

#include "base/base.h"
#include "format.h"

#pragma GCC visibility push(hidden)

/* The entry of requests that a state of a thread makes for the messages of a channel, flags: enum lg_persistent_flag. NULL: no room. */
struct lg_persistent *lg_persistent_of(uint32_t comm, int peer, int tag, uint32_t flags, uint32_t thread, uint32_t state);

#pragma GCC visibility pop
