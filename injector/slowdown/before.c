/* Before the recorder: the MPI functions as the program calls them. Here a rank computes longer: before a call it uses the
 * processor for as long as it did since the last one, times what the factor is above 1. The call goes on by a jump
 * (entries.S), so that the recorder sees the program as its caller. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "slowdown.h"

#define LEAST 20000 /* nanoseconds that are worth a loop; less is remembered */

static void compute(void)
{
  static __thread double owed;
  struct slowdown_thread *t = slowdown_this_thread();
  double factor = slowdown_amount(COMPUTE);
  if (factor <= 1 || t->depth > 0 || t->returned == 0)
    return;
  uint64_t now = slowdown_clock(CLOCK_THREAD_CPUTIME_ID);
  owed += (factor - 1) * (double)(now - t->returned);
  t->returned = now;
  if (owed < LEAST)
    return;
  while ((double)(slowdown_clock(CLOCK_THREAD_CPUTIME_ID) - now) < owed)
    ;
  owed -= (double)(slowdown_clock(CLOCK_THREAD_CPUTIME_ID) - now);
}

enum {
#define FUNCTION(name, sends, params, args) FUNCTION_##name,
#include "slowdown/functions.h"
#undef FUNCTION
  FUNCTIONS
};

static const char *const names[] = {
#define FUNCTION(name, sends, params, args) #name,
#include "slowdown/functions.h"
#undef FUNCTION
};

/* slowdown_before is called at the entry of each function (entries.S), and returns where it goes on. */
__attribute__((used, visibility("hidden"))) void *slowdown_before(unsigned function)
{
  static void *next[FUNCTIONS];
  void *real = __atomic_load_n(&next[function], __ATOMIC_RELAXED);
  if (!real) {
    real = dlsym(RTLD_NEXT, names[function]);
    if (!real) {
      fprintf(stderr, "laggard: slowdown: no %s behind it\n", names[function]);
      abort();
    }
    __atomic_store_n(&next[function], real, __ATOMIC_RELAXED);
  }
  compute();
  return real;
}
