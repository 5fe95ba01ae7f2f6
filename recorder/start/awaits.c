#include "base/peek.h"
#include "identity/thread.h"
#include "python/words.h"
#include "start/awaits.h"
#include "start/task.h"

#define CONTENDED 2 /* the lock word of a mutex of glibc that somebody waits for */
#define MAX_TID (1 << 22) /* PID_MAX_LIMIT of the kernel */

/* The beginning of a pthread_mutex_t (struct __pthread_mutex_s): the futex is the lock word. Of a
 * thread that is joined it is the thread's number, which the kernel clears. */
struct mutex {
  uint32_t lock, count, owner;
};

static bool is_another(uint32_t tid, int self)
{
  return tid > 0 && tid < MAX_TID && tid != (uint32_t)self;
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

struct lg_awaits lg_awaits_on(int tid, uint64_t futex, bool forever)
{
  struct mutex m;
  struct lg_awaits interpreter = lg_awaits_interpreter(tid, futex);
  if (!forever || interpreter.what)
    return interpreter;
  size_t got = lg_peek(futex, &m, sizeof m);
  if (got == sizeof m && m.lock == CONTENDED && is_another(m.owner, tid))
    return (struct lg_awaits){lives(m.owner) ? LG_AWAITED_OWNER : LG_AWAITED_GONE, m.owner, -1};
  if (got >= sizeof m.lock && is_another(m.lock, tid) && m.lock != CONTENDED && lives(m.lock))
    return (struct lg_awaits){LG_AWAITED_END, m.lock, -1};
  return (struct lg_awaits){LG_AWAITED_NONE, 0, -1};
}
