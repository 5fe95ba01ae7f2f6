#define _GNU_SOURCE
#include <dlfcn.h>
#include "base/close.h"

int lg_close(void *handle)
{
  static int (*real)(void *);
  int (*f)(void *) = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!f) {
    f = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    __atomic_store_n(&real, f, __ATOMIC_RELAXED);
  }
  return f(handle);
}
