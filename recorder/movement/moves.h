/* Data movements (docs/manual/movement.md): what is allocated, copied and transferred,
 * in the order in which it happened; the events are in format.h. The functions
 * of ../libc/ that see them come through export.h, messages of MPI by this. */
#pragma once

#include "base/base.h"

struct lg_message { /* one that an MPI call names */
  const void *at;
  uint64_t bytes;
  uint32_t thread, state; /* that sends it, or began to receive it */
  uint32_t comm;
  int32_t peer, tag;
  uint64_t seq;
};

#pragma GCC visibility push(hidden)

extern bool lg_moving; /* movements are recorded */
void lg_moves_start(void);
void lg_moves_message(bool out, const struct lg_message *m);

#pragma GCC visibility pop
