/* Python gives up its locks by a function of the C library: a thread that an exception ends, or that puts one into a future, does so while
 * it handles the exception. A moment later nothing can be read of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "base/locks.h"
#include "base/recording.h"
#include "file/rank.h"
#include "python/words.h"
#include "stack/modules.h"
#include "start/raised.h"

#define MAX_LOOKS 4096 /* at exceptions of a process: one that gives up locks in its handlers as a habit is left alone then */
#define MAX_MEETS 3    /* of a thread, for it to be known */

typedef int posts(sem_t *);
static posts *post;

static __thread uint64_t told __attribute__((tls_model("initial-exec"))); /* the exception that was recorded, while it is handled */
static __thread uint64_t seen __attribute__((tls_model("initial-exec"))); /* the place that was looked at last */
static __thread int meets __attribute__((tls_model("initial-exec")));

static void meet(void)
{
  if (meets++ >= MAX_MEETS || lg_file_mine() || !lg_lock_file_soon())
    return;
  lg_py_meet();
  lg_unlock_file();
}

/* look records the exception that a thread handles, if it is about to end the thread, or was put into a future. What ends the
 * program's first thread is recorded in another way. */
static void look(uint64_t exception)
{
  static struct lg_raised_words words; /* large; the file lock is held */
  static uint32_t looks;
  if (__atomic_load_n(&looks, __ATOMIC_RELAXED) >= MAX_LOOKS || lg_file_mine() || !lg_is_rank() || syscall(SYS_gettid) == getpid())
    return;
  __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
  if (!lg_raised_room_elsewhere() || !lg_lock_file_soon())
    return;
  if (!lg_off && !lg_unloading && lg_words_left(exception, &words)) {
    lg_raised_elsewhere(&words);
    told = exception;
  }
  lg_unlock_file();
}

static void handled(void)
{
  uint64_t place = 0, exception = lg_py_handled_now(&place);
  if (likely(!exception)) {
    told = 0;
    return;
  }
  if (exception == told || (exception != LG_PY_UNKNOWN && place == seen))
    return;
  int err = errno;
  seen = place;
  if (exception == LG_PY_UNKNOWN)
    meet();
  else
    look(exception);
  errno = err;
}

/* A signal handler may post a semaphore, and must not be the first one to look for the function. */
__attribute__((constructor)) static void find(void)
{
  post = (posts *)dlsym(RTLD_NEXT, "sem_post"); /* another library may interpose it as well */
}

LG_EXPORT int sem_post(sem_t *semaphore)
{
  if (unlikely(!post))
    find(); /* the constructor of another library is at work */
  if (unlikely(lg_py_found))
    handled();
  return post(semaphore);
}
