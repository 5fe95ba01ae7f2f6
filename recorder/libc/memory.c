/* The functions that give memory and take it back. They are called before the
 * others are found, by the very search for them: what is asked for then comes
 * from an arena of our own, and stays there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "export.h"
#include "libc/libc.h"

#define EACH(X)                                                                                      \
  X(malloc) X(calloc) X(realloc) X(free) X(memalign) X(posix_memalign) X(aligned_alloc) X(valloc)    \
  X(pvalloc) X(malloc_usable_size) X(mmap) X(mmap64) X(munmap) X(mremap) X(reallocarray)

EACH(LG_DECLARE_REAL)

/* volatile: the headers say that dlsym calls nothing here, but older ones call calloc. */
static volatile bool finding, found;

static void __attribute__((noinline)) find_all(void)
{
  finding = true;
  EACH(LG_FIND_REAL)
  finding = false;
  found = true;
}

static inline bool ready(void)
{
  if (unlikely(!found) && !finding)
    find_all();
  return likely(found);
}

/* ---- the arena ---- */

#define ARENA_BYTES 65536
#define ALIGNMENT 16 /* of whatever malloc gives */
#define PAGE 4096
static _Alignas(64) char arena[ARENA_BYTES];
static size_t arena_used;

static void *from_arena(size_t align, size_t n)
{
  size_t at = (arena_used + align - 1) & ~(align - 1);
  if (align < ALIGNMENT || n > sizeof arena || at > sizeof arena - n) {
    errno = ENOMEM;
    return NULL;
  }
  arena_used = at + ((n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
  return arena + at;
}

static inline bool in_arena(const void *p)
{
  return unlikely((size_t)((const char *)p - arena) < sizeof arena);
}

/* ---- telling ---- */

/* These are macros because the frame that is told is that of the wrapper. */
#define TOLD_NEW(name, p, n)                               \
  do {                                                     \
    if (lg_wants & LG_WANTS_MOVEMENT && likely((p) != NULL)) \
      laggard_allocated(name, p, n, LG_RA, LG_CFA);        \
  } while (0)

/* A buffer that is given back may be another thread's the moment after. */
#define TOLD_OLD(p)                              \
  do {                                           \
    if (lg_wants & LG_WANTS_MOVEMENT && (p) != NULL) \
      laggard_freed(p, LG_RA);                   \
  } while (0)

/* ---- malloc and its kin ---- */

LG_EXPORT void *malloc(size_t n)
{
  if (unlikely(!ready()))
    return from_arena(ALIGNMENT, n);
  void *p = real_malloc(n);
  TOLD_NEW("malloc", p, n);
  return p;
}

LG_EXPORT void *calloc(size_t count, size_t n)
{
  if (unlikely(!ready()))
    return n && count > sizeof arena / n ? NULL : from_arena(ALIGNMENT, count * n);
  void *p = real_calloc(count, n);
  TOLD_NEW("calloc", p, count * n);
  return p;
}

LG_EXPORT void free(void *p)
{
  if (in_arena(p) || !ready())
    return;
  TOLD_OLD(p);
  real_free(p);
}

static void *out_of_arena(void *p, size_t n)
{
  void *fresh = malloc(n);
  size_t had = (size_t)(arena + sizeof arena - (char *)p);
  if (fresh)
    memcpy(fresh, p, n < had ? n : had);
  return fresh;
}

/* resized tells of a buffer that grew or shrank, and may have moved. */
#define TOLD_RESIZED(name, was, had, p, n)                             \
  do {                                                                 \
    if (lg_wants & LG_WANTS_MOVEMENT) {                                \
      if ((p) != NULL && (was) != NULL)                                \
        laggard_resized(name, was, had, p, n, LG_RA, LG_CFA);          \
      else if ((p) != NULL)                                            \
        laggard_allocated(name, p, n, LG_RA, LG_CFA);                  \
      else if ((n) == 0 && (was) != NULL)                              \
        laggard_freed(was, LG_RA);                                     \
    }                                                                  \
  } while (0)

static inline size_t size_of(void *p)
{
  return lg_wants & LG_WANTS_MOVEMENT && p && real_malloc_usable_size ? real_malloc_usable_size(p) : 0;
}

LG_EXPORT void *realloc(void *was, size_t n)
{
  if (unlikely(!ready()) || in_arena(was))
    return was ? out_of_arena(was, n) : from_arena(ALIGNMENT, n);
  size_t had = size_of(was);
  void *p = real_realloc(was, n);
  TOLD_RESIZED("realloc", was, had, p, n);
  return p;
}

LG_EXPORT void *reallocarray(void *was, size_t count, size_t n)
{
  size_t all;
  if (__builtin_mul_overflow(count, n, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  if (unlikely(!ready()) || in_arena(was))
    return was ? out_of_arena(was, all) : from_arena(ALIGNMENT, all);
  size_t had = size_of(was);
  void *p = real_realloc(was, all);
  TOLD_RESIZED("reallocarray", was, had, p, all);
  return p;
}

LG_EXPORT void *memalign(size_t align, size_t n)
{
  if (unlikely(!ready()))
    return from_arena(align, n);
  void *p = real_memalign(align, n);
  TOLD_NEW("memalign", p, n);
  return p;
}

LG_EXPORT int posix_memalign(void **out, size_t align, size_t n)
{
  if (unlikely(!ready())) {
    void *p = from_arena(align, n);
    *out = p ? p : *out;
    return p ? 0 : ENOMEM;
  }
  int err = real_posix_memalign(out, align, n);
  if (!err)
    TOLD_NEW("posix_memalign", *out, n);
  return err;
}

LG_EXPORT void *aligned_alloc(size_t align, size_t n)
{
  if (unlikely(!ready()))
    return from_arena(align, n);
  void *p = real_aligned_alloc(align, n);
  TOLD_NEW("aligned_alloc", p, n);
  return p;
}

LG_EXPORT void *valloc(size_t n)
{
  if (unlikely(!ready()))
    return from_arena(PAGE, n);
  void *p = real_valloc(n);
  TOLD_NEW("valloc", p, n);
  return p;
}

LG_EXPORT void *pvalloc(size_t n)
{
  if (unlikely(!ready()))
    return from_arena(PAGE, n);
  void *p = real_pvalloc(n);
  TOLD_NEW("pvalloc", p, n);
  return p;
}

/* ---- mappings ---- */

#define TOLD_MAPPED(name, p, n)                                       \
  do {                                                                \
    if (lg_wants & LG_WANTS_MOVEMENT && (p) != MAP_FAILED)            \
      laggard_allocated(name, p, n, LG_RA, LG_CFA);                   \
  } while (0)

LG_EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
  if (unlikely(!ready()))
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
  void *p = real_mmap(at, n, protection, flags, fd, offset);
  TOLD_MAPPED("mmap", p, n);
  return p;
}

LG_EXPORT void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
  if (unlikely(!ready()))
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
  void *p = real_mmap64(at, n, protection, flags, fd, offset);
  TOLD_MAPPED("mmap", p, n);
  return p;
}

LG_EXPORT int munmap(void *p, size_t n)
{
  if (unlikely(!ready()))
    return (int)syscall(SYS_munmap, p, n);
  TOLD_OLD(p);
  return real_munmap(p, n);
}

LG_EXPORT void *mremap(void *was, size_t had, size_t n, int flags, ...)
{
  va_list more;
  va_start(more, flags);
  void *at = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
  va_end(more);
  if (unlikely(!ready()))
    return (void *)syscall(SYS_mremap, was, had, n, flags, at);
  void *p = real_mremap(was, had, n, flags, at);
  if (lg_wants & LG_WANTS_MOVEMENT && p != MAP_FAILED)
    laggard_resized("mremap", was, had, p, n, LG_RA, LG_CFA);
  return p;
}
