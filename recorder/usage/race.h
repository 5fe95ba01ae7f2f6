/* What the program itself reads and writes while MPI uses the same memory, where gcc's ThreadSanitizer is built into
 * it: what MPI reads and writes is told to the sanitizer as done by a fiber, which begins with the call and is waited
 * for by the completion. What it then finds is noted before the next call. */
#pragma once

#include "mpi/call.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

extern bool lg_race_on; /* the program has the sanitizer, and it is told: the others are called only then */

void lg_race_start(void);
void lg_race_before(const struct lg_call *c, struct lg_usage *u); /* when the call's own begin is written */
/* An operation began with the call in progress: its number; 0: it is not looked after. */
uint64_t lg_race_begun(struct lg_usage *u, const struct lg_span *sent, const struct lg_span *received);
/* The call accessed a window, if it is one that does, without error. The operation ends with the call that completes it at
 * this process, or with its request. */
uint64_t lg_race_access(const struct lg_call *c, struct lg_usage *u);
void lg_race_ended(uint64_t operation); /* it is complete, or given up; one that has ended is left alone */

/* The sanitizer calls this for each race, in the thread that made the second of the two accesses. */
void lg_race_found(void *report) __asm__("__tsan_on_report") __attribute__((visibility("default")));

#pragma GCC visibility pop
