#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/locks.h"
#include "base/pages.h"
#include "base/recording.h"
#include "file/rank.h"
#include "identity/history.h"
#include "identity/thread.h"
#include "stack/cache.h"
#include "stack/modules.h"
#include "start/raised.h"
#include "start/thrown.h"

typedef void throws(void *, struct lg_typeinfo *, void (*)(void *));

static throws *offered(const char *module)
{
  void *h = dlopen(module, RTLD_LAZY | RTLD_NOLOAD);
  throws *f = h ? (throws *)dlsym(h, "__cxa_throw") : NULL;
  if (h)
    dlclose(h); /* it stays loaded: its code is at work */
  return f == lg_throw ? NULL : f;
}

/* real finds the function that the caller would have come to. A module that was loaded with RTLD_LOCAL, as Python
 * loads its own, brings a library of C++ that nobody else is bound to: its own dependencies say which. Code that
 * was made while the program runs is in no module. */
static throws *real(void *caller)
{
  static throws *next;
  throws *f = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (f)
    return f;
  if ((f = (throws *)dlsym(RTLD_NEXT, "__cxa_throw")) != NULL) {
    __atomic_store_n(&next, f, __ATOMIC_RELAXED);
    return f;
  }
  static const char *const usual[] = {"libstdc++.so.6", "libc++abi.so.1"};
  Dl_info module;
  if (dladdr(caller, &module))
    f = offered(module.dli_fname);
  for (unsigned i = 0; !f && i < sizeof usual / sizeof *usual; i++)
    f = offered(usual[i]);
  return f;
}

/* same tells whether the stack is the one that is known. Of one that is not the thread's own nothing is believed later. */
static bool same(const struct lg_thr *t, const struct lg_thrown *x, const char *name, uint64_t cfa)
{
  const struct lg_raised_words *w = &x->words;
  return x->tid == t->tid && x->cfa == cfa && lg_cache_native(&t->model.cache, cfa) && w->n &&
         strncmp(w->type, name, sizeof w->type - 1) == 0 && lg_verified(x->check, (uint32_t)w->n);
}

static void again(const struct lg_thr *t, struct lg_thrown *x)
{
  x->calls = t->pub->calls;
  x->order = lg_history_order();
}

/* met reads the stack; the file lock is held. */
static void met(struct lg_thr *t, struct lg_thrown *x, const char *name, uint64_t cfa)
{
  static struct lg_trace tr; /* large */
  struct lg_raised_words *w = &x->words;
  lg_cache_unwind(&t->model.cache, cfa, &tr);
  x->cfa = cfa;
  x->tid = t->tid;
  *w = (struct lg_raised_words){.how = LG_RAISED_THROWN};
  strncpy(w->type, name, sizeof w->type - 1);
  for (; w->n < tr.n && w->n < LG_MAX_RAISED && tr.slot[w->n]; w->n++) {
    const uint64_t *where = (const uint64_t *)tr.slot[w->n];
    w->word[w->n] = lg_frame_word(tr.pc[w->n]);
    x->check[w->n] = (struct lg_slot_check){where, *where};
  }
  w->cut = tr.partial || w->n < tr.n;
  again(t, x);
  lg_raised_thrown(t);
}

static void note(struct lg_thr *t, const char *name, uint64_t cfa)
{
  struct lg_thrown *x = t->thrown;
  name += *name == '*';
  if (x && same(t, x, name, cfa)) {
    again(t, x);
    return;
  }
  if (!lg_lock_file_soon())
    return;
  if (!x)
    x = t->thrown = lg_pages(sizeof *x);
  if (x && !lg_off && !lg_unloading)
    met(t, x, name, cfa);
  lg_unlock_file();
}

void lg_throw(void *exception, struct lg_typeinfo *type, void (*destroy)(void *))
{
  struct lg_thr *t = lg_self;
  throws *f = real(__builtin_return_address(0));
  if (!f)
    abort(); /* nothing could have thrown it */
  if (t && type && !lg_file_mine() && lg_is_rank()) {
    int err = errno;
    note(t, type->name, LG_CFA);
    errno = err;
  }
  f(exception, type, destroy);
  __builtin_unreachable();
}
