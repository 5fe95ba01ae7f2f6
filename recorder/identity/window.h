/* Windows: the epochs that are open on one, and the locks that this rank holds.
 * A rank that waits for a lock finds the holder in the others' lists. */
#pragma once

#include "base/base.h"
#include "format.h"

struct lg_epoch { /* what is awaited from the members of a group */
  int n;
  struct lg_pending *from;
};

struct lg_window {
  struct lg_epoch access, exposure;
};

#pragma GCC visibility push(hidden)

void lg_epoch_close(struct lg_epoch *e);
void lg_window_free(struct lg_window *w); /* w may be NULL */

/* Locks of a window, named by the index of its record, on a target or all (LG_NONE). */
const struct lg_lock *lg_lock_held(uint32_t win, int target); /* NULL: none */
void lg_lock_take(uint32_t win, int target, uint32_t type);
void lg_lock_give_up(uint32_t win, int target);
void lg_locks_forget(uint32_t win); /* all of them */

#pragma GCC visibility pop
