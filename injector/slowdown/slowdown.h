/* What is shared by the two libraries that make a rank slow (package injector). LAGGARD_SLOWDOWN says how; without it, and
 * in children of the rank, they do nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum slowdown { NONE, COMPUTE, IO, LATE };

/* slowdown_amount is the factor, the MB/s or the milliseconds of a slowdown, if it is the one of this rank and has begun; else 0. */
EXPORT double slowdown_amount(enum slowdown);

/* slowdown_thread is what the calls of a thread tell each other. */
struct slowdown_thread {
  int depth;         /* MPI calls that it is in */
  uint64_t returned; /* its processor time when it left the last one; 0: unknown */
};
EXPORT struct slowdown_thread *slowdown_this_thread(void);

EXPORT uint64_t slowdown_clock(int clock); /* nanoseconds */
EXPORT void slowdown_sleep(double seconds);
