/* Nonblocking sends that begin late: when the rank next comes to a call of MPI that may wait. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_start(struct lg_call *c);    /* of sends that the call begins; the mode is chosen */
void lg_start_late(const struct lg_call *c); /* begins those that wait, unless the call may come before them */
bool lg_any_late(void); /* requests of late sends are in the program's hands */
void lg_late_freed(long handle); /* the program gives the request up */
/* The call has completed the request, which is its i-th: it becomes null, as that of MPI_Isend would. */
void lg_late_completed(struct lg_call *c, long handle, int i);

#pragma GCC visibility pop
