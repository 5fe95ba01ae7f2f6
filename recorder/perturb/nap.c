#define _GNU_SOURCE
#include <errno.h>
#include <time.h>
#include "perturb/nap.h"
#include "perturb/schedule.h"

#define MILLION 1000000u

uint64_t lg_monotonic_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * MILLION + (uint64_t)t.tv_nsec / 1000;
}

/* take_from_budget returns how much of the time may be slept. */
static uint64_t take_from_budget(uint64_t us)
{
  uint64_t left = __atomic_load_n(&lg_budget_us, __ATOMIC_RELAXED), take;
  do
    take = us < left ? us : left;
  while (!__atomic_compare_exchange_n(&lg_budget_us, &left, left - take, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return take;
}

bool lg_nap(uint64_t us)
{
  int kept = errno;
  us = take_from_budget(us < lg_longest_us ? us : lg_longest_us);
  struct timespec t = {(time_t)(us / MILLION), (long)(us % MILLION) * 1000};
  while (us && nanosleep(&t, &t) && errno == EINTR)
    ;
  errno = kept;
  return us > 0;
}
