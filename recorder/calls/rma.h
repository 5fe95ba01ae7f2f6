/* One-sided calls. A post is kept as a message to each of the group, which
 * MPI_Win_start receives, and MPI_Win_complete sends one back: so counts at both
 * ends tell who has not come. Of locks each rank says which it holds. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_before_win_post(struct lg_call *c);
void lg_before_win_start(struct lg_call *c);
void lg_before_win_complete(struct lg_call *c);
void lg_after_win_complete(struct lg_call *c);
void lg_before_win_wait(struct lg_call *c);
void lg_after_win_wait(struct lg_call *c);
uint32_t lg_list_window(struct lg_call *c, uint32_t n);
void lg_before_window(struct lg_call *c); /* any other synchronisation with a target, or all */
void lg_before_win_lock(struct lg_call *c);
void lg_after_win_lock(struct lg_call *c);
void lg_after_win_unlock(struct lg_call *c);
void lg_before_rma(struct lg_call *c);

#pragma GCC visibility pop
