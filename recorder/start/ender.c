#define STACK_BYTES 65536 /* of a thread's stack that are read, at most */
#define MAX_ABOVE 16
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/locks.h"
#include "base/peek.h"
#include "base/procfile.h"
#include "identity/thread.h"
#include "machine/machine.h"
#include "stack/modules.h"
#include "stack/unwind.h"
#include "start/ender.h"

/* ---- the sender of a signal ---- */

static struct process {
  int pid;
  char name[LG_MAX_COMMAND];
} above[MAX_ABOVE]; /* the parent, its parent, ... */
static int nabove;

/* origin reads the name and the parent of a process, and whether the search for a launcher ends before it. */
static bool origin(struct process *p, int *parent, bool *outside)
{
  char stat[LG_STAT];
  int session;
  const char *behind = lg_read_stat(p->pid, stat), *name = behind ? strchr(stat, '(') : NULL;
  if (!name || sscanf(behind, ") %*c %d %*d %d", parent, &session) != 2)
    return false;
  snprintf(p->name, sizeof p->name, "%.*s", (int)(behind - name - 1), name + 1);
  *outside = session == p->pid || strncmp(name, "(laggard", strlen("(laggard")) == 0;
  return true;
}

/* The parent is a launcher, or a script below one. Above it, a shell that a user types in leads a session. */
void lg_ender_start(void)
{
  int pid = getppid(), parent;
  bool outside;
  for (nabove = 0; nabove < MAX_ABOVE && pid > 1; pid = parent) {
    above[nabove].pid = pid;
    if (!origin(&above[nabove], &parent, &outside) || (outside && nabove > 0))
      break;
    nabove++;
  }
}

/* parent_of is the parent of a process; 0: it is not known. It is asked in a signal handler. */
static int parent_of(int pid)
{
  char stat[LG_STAT];
  const char *behind = lg_read_stat(pid, stat);
  return behind && strlen(behind) > strlen(") S ") ? (int)strtol(behind + strlen(") S "), NULL, 10) : 0;
}

/* is_below tells whether a process was started by this one, or by one that was. */
static bool is_below(int pid)
{
  for (int i = 0; i < MAX_ABOVE && pid > 1; i++)
    if ((pid = parent_of(pid)) == getpid())
      return true;
  return false;
}

static uint32_t sender_of(int pid)
{
  if (pid == getpid())
    return LG_SENDER_SELF;
  for (int i = 0; i < nabove; i++)
    if (above[i].pid == pid)
      return i == 0 ? LG_SENDER_PARENT : LG_SENDER_ABOVE;
  return is_below(pid) ? LG_SENDER_CHILD : LG_SENDER_OTHER;
}

const char *lg_sender_above(const struct lg_signal *s)
{
  for (int i = 0; i < nabove; i++)
    if (s->sender >= LG_SENDER_PARENT && (uint32_t)above[i].pid == s->pid)
      return above[i].name;
  return NULL;
}

struct lg_signal lg_signal_of(const siginfo_t *info)
{
  struct lg_signal s = {.signal = (uint32_t)info->si_signo, .code = info->si_code, .time_ns = lg_now()};
  switch (info->si_code) {
  case SI_USER: case SI_TKILL: case SI_QUEUE:
    s.pid = (uint32_t)info->si_pid;
    s.sender = sender_of(info->si_pid);
    break;
  default: /* timers and message queues are the program's */
    s.sender = info->si_code > 0 ? LG_SENDER_KERNEL : LG_SENDER_SELF;
  }
  return s;
}

/* ---- whose thread it is ---- */

/* neutral: code that is on the stack of any thread. */
static bool neutral(const struct lg_mapped *m)
{
  static const char *const names[] = {"libc.so", "libc-2", "libpthread", "ld-linux", "liblaggard", "linux-vdso"};
  const char *path = m->path ? m->path : "", *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* owner tells whose code the n innermost frames of a stack show. */
static uint32_t owner(const struct lg_trace *tr, int n)
{
  uint32_t found = LG_ENDER_UNKNOWN;
  for (int i = 0; i < n; i++) {
    const struct lg_mapped *m = lg_module_in_table(tr->pc[i] - (i > 0));
    if (!m || neutral(m))
      continue;
    if (!lg_module_of_mpi(m))
      return LG_ENDER_PROGRAM;
    found = LG_ENDER_LIBRARY;
  }
  return found;
}

/* The outermost frame is that which called main, or a thread's beginning. */
bool lg_called_by_program(const struct lg_trace *tr)
{
  return owner(tr, tr->partial ? tr->n : tr->n - 1) == LG_ENDER_PROGRAM;
}

bool lg_exit_by_mpi(const struct lg_trace *tr)
{
  for (int i = 0; i < tr->n; i++) {
    const struct lg_mapped *m = lg_module_in_table(tr->pc[i] - (i > 0));
    if (!m || !neutral(m))
      return m && lg_module_of_mpi(m);
  }
  return false;
}

uint32_t lg_ender(void *ucontext)
{
  static unsigned char copy[STACK_BYTES]; /* the file lock is held */
  static struct lg_trace tr;
  struct lg_regs r = {.known = ucontext ? LG_CONTEXT_KNOWN : LG_HERE_KNOWN};
  if (lg_self || (int)syscall(SYS_gettid) == getpid())
    return LG_ENDER_PROGRAM;
  if (!lg_trylock_file())
    return LG_ENDER_UNKNOWN;
  if (ucontext)
    LG_CONTEXT(ucontext, r.v);
  else
    LG_HERE(r.v);
  uint64_t sp = r.v[SP];
  struct lg_stack s = {sp, sp + lg_peek(sp, copy, sizeof copy), copy};
  lg_unwind(&r, &s, true, &tr);
  uint32_t found = owner(&tr, tr.n);
  lg_unlock_file();
  return found;
}
