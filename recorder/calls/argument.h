/* The arguments of a call that ends the process: one that no such call may have is noted in the record of the rank. */
#pragma once

#include "identity/thread.h"

#pragma GCC visibility push(hidden)

void lg_arguments_start(void); /* MPI may be asked from now on */
void lg_note_refused(const struct lg_thr *t, uint32_t class); /* MPI ends the job over an error of this class in the call that the thread is in */
/* The thread faults, within the call that it is in or outside of MPI with that stack pointer. Called in a signal handler. */
void lg_note_crashed(const struct lg_thr *t, uint64_t sp);

#pragma GCC visibility pop
