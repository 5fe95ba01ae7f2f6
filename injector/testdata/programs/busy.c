/* A program that does the same work twice, around begin(), and says how much
 * longer the second took by the clock than the first on the processor. */
#include <stdio.h>
#include <time.h>

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline)) void begin(void)
{
  __asm__ volatile("");
}

static double work(long n, clockid_t clock)
{
  static volatile long sum;
  double from = now(clock);
  for (long i = 0; i < n; i++)
    sum += i;
  return now(clock) - from;
}

int main(void)
{
  long n = 1000000;
  double before;
  while ((before = work(n, CLOCK_PROCESS_CPUTIME_ID)) < 0.4) /* who slows it may come late */
    n *= 2;
  begin();
  printf("%.3f\n", work(n, CLOCK_MONOTONIC) / before);
  return 0;
}
