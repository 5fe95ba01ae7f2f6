#define _GNU_SOURCE
#include <dlfcn.h>
#include "start/realfunction.h"

static void *offered(const char *module, const char *name, void *own)
{
  void *h = dlopen(module, RTLD_LAZY | RTLD_NOLOAD);
  void *f = h ? dlsym(h, name) : NULL;
  if (h)
    dlclose(h); /* it stays loaded: its code is at work */
  return f == own ? NULL : f;
}

/* A module that was loaded with RTLD_LOCAL, as Python loads its own, brings a library that nobody else is bound to: its own
 * dependencies say which. Code that was made while the program runs is in no module. */
void *lg_real_function(const char *name, void *own, const char *const *libraries, void *caller, void **known)
{
  void *f = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (f)
    return f;
  if ((f = dlsym(RTLD_NEXT, name)) != NULL) {
    __atomic_store_n(known, f, __ATOMIC_RELAXED);
    return f;
  }
  Dl_info module;
  if (dladdr(caller, &module))
    f = offered(module.dli_fname, name, own);
  for (; !f && *libraries; libraries++)
    f = offered(*libraries, name, own);
  return f;
}
