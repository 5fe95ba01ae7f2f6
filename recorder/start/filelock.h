/* Who has the lock of a file that a thread waits for, as the kernel lists it (/proc/locks). */
#pragma once

#include "base/base.h"
#include "identity/thread.h"
#include "start/awaits.h"

#pragma GCC visibility push(hidden)

/* Of a thread in a system call, by its number and its arguments; nothing, if it is none that waits for the lock of a file. */
struct lg_awaits lg_awaits_lock(long nr, const unsigned long *args);
/* Records for which file a thread waits, and the name of the process that has its lock, if that is not what was recorded last. */
void lg_file_lock_note(struct lg_thr *t, const struct lg_awaits *awaits);

#pragma GCC visibility pop
