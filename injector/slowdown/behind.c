/* Behind the recorder: the MPI functions as it calls them. Here a thread is seen to leave an MPI call, and messages are late:
 * the recorder, and so the user, sees the delay inside the call. MPI promises no time by which a message is sent, so any
 * program has to bear it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "slowdown.h"

static const char *const names[] = {[COMPUTE] = "compute", [IO] = "io", [LATE] = "late"};

static struct {
  enum slowdown kind;
  double amount;
  uint64_t begin; /* by CLOCK_MONOTONIC */
  char report[4096];
  bool begun;
} own;

/* LAGGARD_SLOWDOWN is the process, the moment, the kind, the amount, and the report, which lies beside its place until then. */
__attribute__((constructor)) static void read_setting(void)
{
  const char *text = getenv("LAGGARD_SLOWDOWN");
  char kind[16];
  int pid, length = 0;
  if (!text || sscanf(text, "%d %lu %15s %lf %n", &pid, &own.begin, kind, &own.amount, &length) != 4 || pid != getpid())
    return;
  snprintf(own.report, sizeof own.report, "%s", text + length);
  for (enum slowdown k = COMPUTE; k <= LATE; k++)
    if (strcmp(kind, names[k]) == 0)
      own.kind = k;
}

uint64_t slowdown_clock(int clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* begin says that the rank is slow from now on. */
static void begin(void)
{
  char due[sizeof own.report + 8];
  if (__atomic_exchange_n(&own.begun, true, __ATOMIC_RELAXED))
    return;
  snprintf(due, sizeof due, "%s.due", own.report);
  rename(due, own.report);
}

double slowdown_amount(enum slowdown kind)
{
  if (kind != own.kind)
    return 0;
  if (!__atomic_load_n(&own.begun, __ATOMIC_RELAXED)) {
    if (slowdown_clock(CLOCK_MONOTONIC) < own.begin)
      return 0;
    begin();
  }
  return own.amount;
}

struct slowdown_thread *slowdown_this_thread(void)
{
  static __thread struct slowdown_thread this;
  return &this;
}

void slowdown_sleep(double seconds)
{
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&t, &t) != 0 && errno == EINTR)
    ;
}

static void *find(const char *name)
{
  void *f = dlsym(RTLD_NEXT, name);
  if (!f) {
    fprintf(stderr, "laggard: slowdown: no %s behind the recorder\n", name);
    abort();
  }
  return f;
}

static void enter(bool sends)
{
  if (slowdown_this_thread()->depth++ > 0 || !sends)
    return;
  double milliseconds = slowdown_amount(LATE);
  if (milliseconds > 0)
    slowdown_sleep(milliseconds / 1000);
}

static void leave(void)
{
  struct slowdown_thread *t = slowdown_this_thread();
  if (--t->depth == 0 && slowdown_amount(COMPUTE) > 0)
    t->returned = slowdown_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Arguments and results are handed on as words, as in the recorder's wrappers. */
#define FUNCTION(name, sends, params, args)                        \
  EXPORT long P##name params;                                      \
  EXPORT long P##name params                                       \
  {                                                                \
    static void *known;                                            \
    void *real = __atomic_load_n(&known, __ATOMIC_RELAXED);        \
    if (!real)                                                     \
      __atomic_store_n(&known, real = find("P" #name), __ATOMIC_RELAXED); \
    enter(sends);                                                  \
    long result = ((long(*) params)real)args;                      \
    leave();                                                       \
    return result;                                                 \
  }
#include "slowdown/functions.h"
