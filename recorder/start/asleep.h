/* Threads in a system call: the kernel tells where they are. Those in one that a signal would end early, or that waits for
 * another thread, nothing may disturb. */
#pragma once

#include "base/base.h"
#include "start/awaits.h"

struct lg_asleep {
  uint64_t sp, pc; /* all that is known of its registers */
  bool idle;       /* it waits a little at a time, or for another process */
  bool undisturbed; /* a signal would end the call early, or the thread waits for another one */
  bool futex;      /* it waits for another thread, with a time limit or without */
  struct lg_awaits awaits;
};

#pragma GCC visibility push(hidden)

/* Whether a thread is in a system call, and how. */
bool lg_is_in_call(int tid, struct lg_asleep *out);
/* Likewise, in one in which nothing may disturb it. What it waits for is known of other calls too. */
bool lg_is_asleep(int tid, struct lg_asleep *out);

#pragma GCC visibility pop
