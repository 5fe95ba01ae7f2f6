/* Exposure epochs that have ended, as MPI_Win_test has said, though the program was not told yet. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

/* Asks MPI for a call of MPI_Win_test, which ends the epoch if the answer is yes. */
bool lg_exposure_ended(const struct lg_call *c);
bool lg_exposure_tell(const struct lg_call *c); /* the epoch had ended, and the program is told now */
void lg_exposure_waited(struct lg_call *c); /* a call of MPI_Win_wait: MPI must not be asked about an epoch that has ended */

#pragma GCC visibility pop
