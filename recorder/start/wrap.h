/* The shape of a wrapper, for the generated file only. */
#pragma once

#include "identity/thread.h"
#include "machine/machine.h"
#include "mpi/binding.h"
#include "mpi/resolve.h"
#include "mpi/table.h"
#include "start/entry.h"

#define LG_ARGS(...) __VA_ARGS__

#define LG_REAL(type, entry)                                              \
  void *real = __atomic_load_n(&lg_real[entry], __ATOMIC_RELAXED);        \
  if (unlikely(!real))                                                    \
    real = lg_resolve(entry, LG_RA)

#define LG_WRAP(ret, symbol, entry, desc, binding, params, names, args)   \
  LG_EXPORT ret symbol params;                                            \
  LG_EXPORT ret symbol params                                             \
  {                                                                       \
    long a[] = {LG_ARGS names};                                           \
    struct lg_call c;                                                     \
    LG_REAL(ret, entry);                                                  \
    c.real = real;                                                        \
    bool on = lg_before(&c, &lg_descs[desc], binding, a, LG_RA, LG_CFA);  \
    (void)a;                                                              \
    ret r = ((ret(*) params)c.real)args;                                  \
    if (likely(on)) {                                                     \
      c.code = (int)r;                                                    \
      lg_after(&c);                                                       \
    }                                                                     \
    return r;                                                             \
  }

#define LG_WRAP_LIGHT(ret, symbol, entry, desc, binding, params, names, args) \
  LG_EXPORT ret symbol params;                                            \
  LG_EXPORT ret symbol params                                             \
  {                                                                       \
    long a[] = {LG_ARGS names};                                           \
    (void)a;                                                              \
    LG_REAL(ret, entry);                                                  \
    if (unlikely(lg_mpi_local))                                           \
      real = lg_light_real(entry, real, LG_RA);                           \
    struct lg_thr *t = lg_light_begin(LG_CFA);                            \
    ret r = ((ret(*) params)real)args;                                    \
    if (t)                                                                \
      t->outer_cfa = 0;                                                   \
    return r;                                                             \
  }

#define LG_ALIAS(name, target) LG_EXPORT __typeof__(target) name __attribute__((alias(#target)));
