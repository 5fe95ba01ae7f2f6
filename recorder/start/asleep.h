/* Threads in a system call: the kernel tells where they are. A signal would end some of these calls early, whatever SA_RESTART
 * says: sleeps and polls (signal(7)), and transfers that have moved some bytes. So nothing disturbs a thread in one. */
#pragma once

#include "base/base.h"
#include "start/awaits.h"

struct lg_asleep {
  uint64_t sp, pc; /* all that is known of its registers */
  bool idle;       /* it waits a little at a time, or for another process */
  bool futex;      /* it waits for another thread, with a time limit or without */
  struct lg_awaits awaits;
};

enum lg_doing {
  LG_DOES_UNKNOWN, /* the kernel does not tell */
  LG_RUNS,         /* or waits outside of system calls, as for a page of memory */
  LG_IN_CALL
};

#pragma GCC visibility push(hidden)

/* What a thread does; out is set if it is in a system call. */
enum lg_doing lg_doing(int tid, struct lg_asleep *out);

#pragma GCC visibility pop
