#define _GNU_SOURCE
#include <dlfcn.h>
#include "base/close.h"
#include "base/hash.h"
#include "stack/modules.h"
#include "start/realfunction.h"

#define CALLERS 8

/* What callers of this thread came to, until a module is unloaded: to ask the loader takes longer than to throw an exception. */
static __thread struct answer {
  const void *caller, *own;
  void *f;
  uint32_t gen;
} answers[CALLERS] __attribute__((tls_model("initial-exec")));

static void *offered(const char *module, const char *name, void *own)
{
  void *h = dlopen(module, RTLD_LAZY | RTLD_NOLOAD);
  void *f = h ? dlsym(h, name) : NULL;
  if (h)
    lg_close(h); /* it stays loaded: its code is at work */
  return f == own ? NULL : f;
}

/* asked asks what the caller's module is bound to, and then the libraries. A module that was loaded with RTLD_LOCAL, as Python loads
 * its own, brings a library that nobody else is bound to: its own dependencies say which. Code that was made while the program runs is
 * in no module. */
static void *asked(const char *name, void *own, const char *const *libraries, void *caller)
{
  Dl_info module;
  void *f = dladdr(caller, &module) ? offered(module.dli_fname, name, own) : NULL;
  for (; !f && *libraries; libraries++)
    f = offered(*libraries, name, own);
  return f;
}

void *lg_real_function(const char *name, void *own, const char *const *libraries, void *caller, void **known)
{
  void *f = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (f)
    return f;
  struct answer *a = &answers[(lg_spread(lg_mix((uintptr_t)caller, (uintptr_t)own), 16)) % CALLERS];
  uint32_t gen = __atomic_load_n(&lg_unload_gen, __ATOMIC_ACQUIRE);
  if (a->f && a->caller == caller && a->own == own && a->gen == gen)
    return a->f;
  if ((f = dlsym(RTLD_NEXT, name)) != NULL) {
    __atomic_store_n(known, f, __ATOMIC_RELAXED);
    return f;
  }
  f = asked(name, own, libraries, caller);
  *a = (struct answer){caller, own, f, gen};
  return f;
}
