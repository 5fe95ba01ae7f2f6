#define _GNU_SOURCE
#include <setjmp.h>
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

bool __attribute__((noinline)) lg_reading(void (*f)(void *), void *arg)
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
