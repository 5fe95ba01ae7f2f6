#define _GNU_SOURCE
#include <errno.h>
#include <time.h>
#include "perturb/nap.h"
#include "perturb/schedule.h"

#define MILLION 1000000u

static uint64_t read_us(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * MILLION + (uint64_t)t.tv_nsec / 1000;
}

uint64_t lg_monotonic_us(void)
{
  return read_us(CLOCK_MONOTONIC);
}

uint64_t lg_busy_us(void)
{
  return read_us(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t lg_spend(uint64_t us)
{
  us = us < lg_longest_us ? us : lg_longest_us;
  uint64_t left = __atomic_load_n(&lg_budget_us, __ATOMIC_RELAXED), take;
  do
    take = us < left ? us : left;
  while (!__atomic_compare_exchange_n(&lg_budget_us, &left, left - take, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return take;
}

bool lg_may_hold_back(void)
{
  return __atomic_load_n(&lg_budget_us, __ATOMIC_RELAXED) > 0;
}

bool lg_nap(uint64_t us)
{
  int kept = errno;
  us = lg_spend(us);
  struct timespec t = {(time_t)(us / MILLION), (long)(us % MILLION) * 1000};
  while (us && nanosleep(&t, &t) && errno == EINTR)
    ;
  errno = kept;
  return us > 0;
}
