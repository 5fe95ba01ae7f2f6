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
#include "start/realfunction.h"
#include "start/thrown.h"

typedef void throws(void *, struct lg_typeinfo *, void (*)(void *));

static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};

/* ---- what an exception says ---- */

struct single { /* std::type_info of a class with one base class, at its beginning (§2.9.5) */
  struct lg_typeinfo head;
  const struct single *base;
};

#define MAX_BASES 16

/* has_text tells whether the exception begins with a std::logic_error or std::runtime_error. */
static bool has_text(const struct lg_typeinfo *type)
{
  static const char *single_inheritance; /* the functions of such a type_info */
  static uint32_t missing = UINT32_MAX;  /* among the modules of this number: no library of C++ is visible to all */
  if (!single_inheritance) {
    uint32_t now = lg_module_gen;
    const char *table = now == missing ? NULL : dlsym(RTLD_DEFAULT, "_ZTVN10__cxxabiv120__si_class_type_infoE");
    if (!table) {
      missing = now;
      return false;
    }
    single_inheritance = table + 2 * sizeof(void *);
  }
  const struct single *t = (const struct single *)type;
  for (int i = 0; i < MAX_BASES; i++, t = t->base) {
    if (strcmp(t->head.name, "St11logic_error") == 0 || strcmp(t->head.name, "St13runtime_error") == 0)
      return true;
    if (t->head.functions != single_inheritance)
      return false;
  }
  return false;
}

/* text_of is what() of these classes, without a call of code of the program: both libraries have a pointer to the text
 * behind the pointer to the functions. */
static const char *text_of(const void *exception, const struct lg_typeinfo *type)
{
  const char *text = has_text(type) ? ((const char *const *)exception)[1] : NULL;
  return text ? text : "";
}

/* ---- where it was thrown ---- */

/* same tells whether the stack is the one that is known. Of one that is not the thread's own nothing is believed later. */
static bool same(const struct lg_thr *t, const struct lg_thrown *x, const char *name, uint64_t cfa)
{
  const struct lg_raised_words *w = &x->words;
  return x->tid == t->tid && x->cfa == cfa && lg_cache_native(&t->model.cache, cfa) && w->n &&
         strncmp(w->type, name, sizeof w->type - 1) == 0 && lg_verified(x->check, (uint32_t)w->n);
}

/* says tells whether a text is the one that is kept. */
static bool says(const struct lg_raised_words *w, const char *text)
{
  return strncmp(w->text, text, sizeof w->text - 1) == 0;
}

/* is_habit counts that the thread throws such an exception in a function at that place on the stack, and tells whether it did so at least
 * twice before. */
static bool is_habit(struct lg_thrown *x)
{
  uint64_t hash = lg_mix_bytes(x->cfa, x->words.type, strlen(x->words.type));
  for (int i = 0; i < LG_THROW_PLACES; i++) {
    struct lg_throw_place *p = &x->places[i];
    if (p->hash == hash) {
      p->times += p->times < 3;
      return p->times == 3;
    }
  }
  x->places[x->replaced++ % LG_THROW_PLACES] = (struct lg_throw_place){hash, 1};
  return false;
}

static void again(const struct lg_thr *t, struct lg_thrown *x)
{
  x->words.habit = is_habit(x);
  x->calls = t->pub->calls;
  x->order = lg_history_order();
}

/* met reads the stack; the file lock is held. */
static void met(struct lg_thr *t, struct lg_thrown *x, const struct lg_raised_words *what, uint64_t cfa)
{
  static struct lg_trace tr; /* large */
  struct lg_raised_words *w = &x->words;
  lg_cache_unwind(&t->model.cache, cfa, &tr);
  if (x->tid != t->tid)
    memset(x->places, 0, sizeof x->places);
  x->cfa = cfa;
  x->tid = t->tid;
  *w = *what;
  for (; w->n < tr.n && w->n < LG_MAX_RAISED && tr.slot[w->n]; w->n++) {
    const uint64_t *where = (const uint64_t *)tr.slot[w->n];
    w->word[w->n] = lg_frame_word(tr.pc[w->n]);
    x->check[w->n] = (struct lg_slot_check){where, *where};
  }
  w->cut = tr.partial || w->n < tr.n;
  again(t, x);
  lg_raised_thrown(t);
}

/* note keeps what a thread met, with the stack above that frame. */
static void note(struct lg_thr *t, const struct lg_raised_words *what, uint64_t cfa)
{
  struct lg_thrown *x = t->thrown;
  bool from_there = x && x->words.how == what->how && same(t, x, what->type, cfa);
  if (from_there && says(&x->words, what->text)) {
    again(t, x);
    return;
  }
  if (!lg_lock_file_soon())
    return;
  if (!x)
    x = t->thrown = lg_pages(sizeof *x);
  if (from_there) {
    memcpy(x->words.text, what->text, sizeof x->words.text);
    again(t, x);
  } else if (x && !lg_off && !lg_unloading) {
    met(t, x, what, cfa);
  }
  lg_unlock_file();
}

/* note_elsewhere keeps what a thread met that never called MPI. A program may throw as a habit: then nothing more is done. */
static void note_elsewhere(const struct lg_raised_words *what, uint64_t cfa)
{
  static struct lg_trace tr; /* large */
  static struct lg_raised_words w;
  if (!lg_raised_room_elsewhere() || !lg_lock_file_soon())
    return;
  if (!lg_off && !lg_unloading) {
    lg_unwind_caller(cfa, 0, &tr);
    for (w = *what; w.n < tr.n && w.n < LG_MAX_RAISED; w.n++)
      w.word[w.n] = lg_frame_word(tr.pc[w.n]);
    w.cut = tr.partial || w.n < tr.n;
    lg_raised_elsewhere(&w);
  }
  lg_unlock_file();
}

void lg_note_raised(uint32_t how, const char *type, const char *text, uint64_t cfa)
{
  struct lg_thr *t = lg_self;
  if ((!t && how != LG_RAISED_THROWN) || lg_file_mine() || !lg_is_rank())
    return;
  int err = errno;
  struct lg_raised_words what = {.how = how};
  strncpy(what.type, type, sizeof what.type - 1);
  strncpy(what.text, text, sizeof what.text - 1);
  if (t)
    note(t, &what, cfa);
  else
    note_elsewhere(&what, cfa);
  errno = err;
}

void lg_throw(void *exception, struct lg_typeinfo *type, void (*destroy)(void *))
{
  static void *known;
  throws *f = (throws *)lg_real_function("__cxa_throw", (void *)lg_throw, libraries, __builtin_return_address(0), &known);
  if (!f)
    abort(); /* nothing could have thrown it */
  if (type && lg_is_rank())
    lg_note_raised(LG_RAISED_THROWN, type->name + (*type->name == '*'), text_of(exception, type), LG_CFA);
  f(exception, type, destroy);
  __builtin_unreachable();
}
