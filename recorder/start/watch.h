/* The watch thread: once a second it says that the process lives, and when the
 * program makes no progress for a while it writes down where the threads are. It
 * never calls MPI, takes no signal of the program's, and disturbs no system call:
 * a thread asleep is read from outside, and only a running one, or one whose
 * system call the kernel restarts, gets a signal. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void lg_watch_start(void);
void lg_watch_ask(void); /* has it write down all stacks soon; a signal handler may call it */

#pragma GCC visibility pop
