#define _GNU_SOURCE
#include <setjmp.h>
#include <string.h>
#include "base/reading.h"

static __thread sigjmp_buf reading __attribute__((tls_model("initial-exec")));
static __thread volatile bool is_reading __attribute__((tls_model("initial-exec")));

void lg_reading_fault(const sigset_t *mask)
{
  if (!is_reading)
    return;
  is_reading = false;
  pthread_sigmask(SIG_SETMASK, mask, NULL);
  siglongjmp(reading, 1);
}

/* attempt calls f so that a fault comes back here. */
static bool __attribute__((noinline)) attempt(void (*f)(void *), void *arg)
{
  if (sigsetjmp(reading, 0))
    return false;
  is_reading = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  f(arg);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  is_reading = false;
  return true;
}

/* A handler may interrupt the reading and come to read itself: then that goes on afterwards. */
static bool __attribute__((noinline)) attempt_within(void (*f)(void *), void *arg)
{
  sigjmp_buf outer;
  memcpy(outer, reading, sizeof outer);
  is_reading = false;
  bool done = attempt(f, arg);
  memcpy(reading, outer, sizeof outer);
  is_reading = true;
  return done;
}

bool lg_reading(void (*f)(void *), void *arg)
{
  return unlikely(is_reading) ? attempt_within(f, arg) : attempt(f, arg);
}
