/* What the program itself reads and writes while MPI uses the same memory, where gcc's ThreadSanitizer is built into
 * it: what MPI reads and writes is told to the sanitizer as done by a fiber, which begins with the call and is waited
 * for by the completion. What it then finds is noted before the next call. */
#ifndef LAGGARD_RACE_H
#define LAGGARD_RACE_H

#include "mpi/call.h"
#include "usage/live.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

void lg_race_start(void);
void lg_race_before(const struct lg_call *c, struct lg_usage *u); /* when the call's own begin is written */
void lg_race_access(const struct lg_call *c, struct lg_usage *u); /* the call accessed a window without error */
void lg_race_begun(struct lg_usage *u, struct lg_live *l); /* an operation began with the call in progress */
void lg_race_ended(struct lg_live *l);                     /* it is complete, or given up */

#pragma GCC visibility pop
#endif
