/* The functions that copy memory. memcpy is called before anything is found,
 * and what is found is memmove for both: on most machines they are one function,
 * and a program linked to the oldest memcpy of x86-64 may rely on that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <strings.h>
#include "export.h"
#include "libc/libc.h"

typedef void *copier(void *, const void *, size_t);
typedef void *checked(void *, const void *, size_t, size_t);

static copier *real;
static checked *refuse; /* says that a buffer would overflow, and ends the program */

static void *by_hand(void *to, const void *from, size_t n)
{
  /* volatile: the compiler would make a call of memmove of it */
  volatile char *a = to;
  const volatile char *b = from;
  if (a <= b || a >= b + n)
    for (size_t i = 0; i < n; i++)
      a[i] = b[i];
  else
    for (size_t i = n; i-- > 0;)
      a[i] = b[i];
  return to;
}

static copier *__attribute__((noinline)) find(void)
{
  static bool finding;
  if (finding)
    return by_hand;
  finding = true;
  copier *f = (copier *)dlsym(RTLD_NEXT, "memmove");
  refuse = (checked *)dlsym(RTLD_NEXT, "__memcpy_chk");
  real = f ? f : by_hand;
  finding = false;
  return real;
}

#define REAL (likely(real != NULL) ? real : find())

/* It is told before it is done, so that the last call is the copying. */
#define TOLD(name, to, from, n)                                   \
  do {                                                            \
    if (lg_wants & LG_WANTS_MOVEMENT && likely(n))                \
      laggard_copied(name, to, from, n, LG_RA, LG_CFA);           \
  } while (0)

LG_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  TOLD("memcpy", to, from, n);
  return REAL(to, from, n);
}

LG_EXPORT void *memmove(void *to, const void *from, size_t n)
{
  TOLD("memmove", to, from, n);
  return REAL(to, from, n);
}

LG_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
  TOLD("mempcpy", to, from, n);
  return (char *)REAL(to, from, n) + n;
}

LG_EXPORT void *__mempcpy(void *restrict to, const void *restrict from, size_t n)
{
  TOLD("mempcpy", to, from, n);
  return (char *)REAL(to, from, n) + n;
}

LG_EXPORT void bcopy(const void *from, void *to, size_t n)
{
  TOLD("bcopy", to, from, n);
  REAL(to, from, n);
}

/* fits sends a copy that would overflow to the C library, which does not return. */
static inline void fits(void *to, const void *from, size_t n, size_t room)
{
  if (unlikely(n > room)) {
    REAL(to, from, 0);
    refuse(to, from, n, room);
  }
}

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);

LG_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
  fits(to, from, n, room);
  TOLD("memcpy", to, from, n);
  return REAL(to, from, n);
}

LG_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
  fits(to, from, n, room);
  TOLD("memmove", to, from, n);
  return REAL(to, from, n);
}

LG_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
  fits(to, from, n, room);
  TOLD("mempcpy", to, from, n);
  return (char *)REAL(to, from, n) + n;
}
