#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/peek.h"
#include "base/procfile.h"
#include "identity/thread.h"
#include "python/words.h"
#include "start/awaits.h"
#include "start/task.h"

#define CONTENDED 2 /* the lock word of a mutex of glibc that somebody waits for */
#define MAX_TID (1 << 22) /* PID_MAX_LIMIT of the kernel */
#define STATUS_BYTES 1024 /* of the file that tells which process a thread belongs to */
#define MAX_PATH 64       /* bytes of its path */

/* The beginning of a pthread_mutex_t (struct __pthread_mutex_s): the futex is the lock word. Of a
 * thread that is joined it is the thread's number, which the kernel clears. */
struct mutex {
  uint32_t lock, count, owner;
};

static bool is_another(uint32_t tid, int self)
{
  return tid > 0 && tid < MAX_TID && tid != (uint32_t)self;
}

/* process_of is the process, another one than this, that a thread belongs to; 0: there is none. */
static uint32_t process_of(uint32_t tid)
{
  static char text[STATUS_BYTES]; /* only the watch thread asks */
  char path[MAX_PATH];
  unsigned pid;
  snprintf(path, sizeof path, "/proc/%u/status", tid);
  const char *at = lg_read_text(path, text, sizeof text) ? strstr(text, "Tgid:") : NULL;
  return at && sscanf(at, "Tgid: %u", &pid) == 1 && pid != (unsigned)getpid() ? pid : 0;
}

static bool lives(uint32_t tid)
{
  char line[LG_TASK_LINE];
  return lg_task_state((int)tid, line, NULL) != 0;
}

struct lg_awaits lg_awaits_interpreter(int tid, uint64_t futex)
{
  for (const struct lg_thr *t = lg_py_found ? __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE) : NULL; t; t = t->next)
    if (t->tid != tid && __atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) && lg_py_has_lock(t->pthread, futex))
      return (struct lg_awaits){LG_AWAITED_INTERPRETER, (uint32_t)t->tid, -1};
  return (struct lg_awaits){LG_AWAITED_NONE, 0, -1};
}

/* A mutex that processes share may be another one's, or its owner may not be seen from inside a container. */
static struct lg_awaits owner_of(uint32_t owner, bool shared)
{
  if (lives(owner))
    return (struct lg_awaits){LG_AWAITED_OWNER, owner, -1};
  if (!shared)
    return (struct lg_awaits){LG_AWAITED_GONE, owner, -1};
  uint32_t process = process_of(owner);
  return (struct lg_awaits){process ? LG_AWAITED_PROCESS : LG_AWAITED_NONE, process, -1};
}

struct lg_awaits lg_awaits_on(int tid, uint64_t futex, bool forever, bool shared)
{
  struct mutex m;
  struct lg_awaits interpreter = lg_awaits_interpreter(tid, futex);
  if (!forever || interpreter.what)
    return interpreter;
  size_t got = lg_peek(futex, &m, sizeof m);
  if (got == sizeof m && m.lock == CONTENDED && is_another(m.owner, tid))
    return owner_of(m.owner, shared);
  if (got >= sizeof m.lock && is_another(m.lock, tid) && m.lock != CONTENDED && lives(m.lock))
    return (struct lg_awaits){LG_AWAITED_END, m.lock, -1};
  return (struct lg_awaits){LG_AWAITED_NONE, 0, -1};
}
