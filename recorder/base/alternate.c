#define STACK_BYTES (256 << 10) /* a handler of the program that asks for an alternate stack may come to run on it */
#define GUARD_BYTES (64 << 10)  /* at least a page of any machine */
#define ROOM_BYTES (64 << 10)   /* for our handler */
#define DISARMED (1 << 31)      /* SS_AUTODISARM */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include "base/alternate.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

static __thread char *mine __attribute__((tls_model("initial-exec"))); /* of this thread, as long as it is set */
static bool theirs; /* the program has set one, in whatever thread */
static size_t smallest = SIZE_MAX; /* of these, bytes */
bool lg_alternate_off;
bool (*lg_when_alternate)(void);

static int real_sigaltstack(const stack_t *set, stack_t *old)
{
  static int (*real)(const stack_t *, stack_t *);
  if (!real)
    real = (int (*)(const stack_t *, stack_t *))dlsym(RTLD_NEXT, "sigaltstack");
  return real(set, old);
}

/* The kernel says how much of it a frame of a handler takes, which depends on the registers of the machine. */
static size_t stack_bytes(void)
{
  return STACK_BYTES + ((getauxval(AT_MINSIGSTKSZ) + GUARD_BYTES - 1) & ~(size_t)(GUARD_BYTES - 1));
}

/* make reserves the memory; a page is there once a handler has used it. */
static char *make(void)
{
  size_t n = stack_bytes() + GUARD_BYTES;
  char *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  if (mprotect(p + GUARD_BYTES, n - GUARD_BYTES, PROT_READ | PROT_WRITE)) {
    munmap(p, n);
    return NULL;
  }
  return p + GUARD_BYTES;
}

void lg_alternate_give(char **room)
{
  stack_t old;
  if (lg_alternate_off || real_sigaltstack(NULL, &old) || !(old.ss_flags & SS_DISABLE) || (!*room && !(*room = make())))
    return;
  if (real_sigaltstack(&(stack_t){.ss_sp = *room, .ss_size = stack_bytes()}, NULL) == 0)
    mine = *room;
}

/* A thread that ends on this stack keeps it. */
void lg_alternate_end(char **room)
{
  stack_t old;
  if (*room && real_sigaltstack(NULL, &old) == 0 && old.ss_sp == *room &&
      real_sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL))
    *room = NULL;
  mine = NULL;
}

bool lg_alternate_only_ours(void)
{
  return mine && !lg_alternate_theirs();
}

bool lg_alternate_theirs(void)
{
  stack_t old;
  return theirs || (real_sigaltstack(NULL, &old) == 0 && !(old.ss_flags & SS_DISABLE) && old.ss_sp != mine);
}

bool lg_alternate_roomy(void)
{
  stack_t now;
  return real_sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE) && (now.ss_sp == mine || theirs) && smallest >= ROOM_BYTES;
}

bool lg_alternate_on(void)
{
  stack_t now;
  return real_sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_ONSTACK;
}

/* note_theirs notes a stack that the program has set. One that the kernel puts aside for a handler cannot be told of there. */
static void note_theirs(const stack_t *set)
{
  size_t n = set->ss_flags & DISARMED ? 0 : set->ss_size;
  if (theirs && n >= smallest)
    return;
  size_t was = smallest;
  smallest = n < smallest ? n : smallest;
  bool before = theirs;
  theirs = true;
  if (lg_when_alternate && !lg_when_alternate()) {
    theirs = before;
    smallest = was;
  }
}

/* The program is told what it would see without ours. */
LG_EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
  int failed = real_sigaltstack(set, old);
  if (!failed && old && mine && old->ss_sp == mine)
    *old = (stack_t){.ss_flags = SS_DISABLE};
  if (!failed && set && !(set->ss_flags & SS_DISABLE))
    note_theirs(set);
  return failed;
}
