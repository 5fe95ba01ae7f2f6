/* The time that is written into the file. */
#pragma once

#include <stdint.h>
#include <time.h>

/* lg_now is CLOCK_REALTIME in ns; a signal handler may ask too. */
static inline uint64_t lg_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
