/* What memory the process has at an address, read when it is about to end: how far the mapping goes, and which block of the C
 * library's malloc is there. Nothing is allocated and no lock is taken: the handler of a fault may ask. */
#pragma once

#include "base/base.h"

struct lg_room { /* what is at an address */
  uint32_t memory; /* enum lg_memory */
  uint64_t bytes;  /* from the address to the end of it */
  bool writable;
};

#pragma GCC visibility push(hidden)

void lg_mappings_read(void); /* as the process has them now; not by two threads at once */
struct lg_room lg_room_at(uint64_t at); /* as they were then */
bool lg_is_behind(uint64_t at, uint64_t other); /* all between the other address and this one, which is not below, is there */

#pragma GCC visibility pop
