/* Files are slow: what reads or writes a regular file takes as long as its bytes at the given MB/s. The thread sleeps as one
 * does that waits for a disk. What the C library does by itself, as when it empties the buffer of a FILE, is not seen;
 * fwrite and fread are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "base/stat.h"
#include "slowdown.h"

#define LEAST 1e-3 /* seconds that are worth a sleep; less is remembered */

static int sleep_in_child(void *seconds)
{
  slowdown_sleep(*(double *)seconds);
  return 0;
}

/* sleep_on_disk sleeps uninterruptibly (state D), as the kernel lets a parent do until its vfork child ends. The child sends no
 * signal, and is none that the program could wait for. */
static void sleep_on_disk(double seconds)
{
  char stack[16384] __attribute__((aligned(16)));
  int child = clone(sleep_in_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK, &seconds);
  if (child < 0)
    slowdown_sleep(seconds);
  else
    waitpid(child, NULL, __WCLONE);
}

static bool by_laggard(const void *caller)
{
  Dl_info module;
  return dladdr(caller, &module) && module.dli_fname && strstr(module.dli_fname, "/liblaggard");
}

static void take_time(int fd, ssize_t bytes, const void *caller)
{
  static __thread double owed;
  int error = errno;
  double rate = bytes > 0 ? slowdown_amount(IO) : 0;
  struct stat s;
  if (rate > 0 && lg_fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && !by_laggard(caller))
    owed += (double)bytes / (rate * 1e6);
  if (owed >= LEAST) {
    sleep_on_disk(owed);
    owed = 0;
  }
  errno = error;
}

#define FILE_CALL(type, name, params, args, fd, bytes)                    \
  EXPORT type name params;                                                \
  EXPORT type name params                                                 \
  {                                                                       \
    static void *known;                                                   \
    void *real = __atomic_load_n(&known, __ATOMIC_RELAXED);               \
    if (!real)                                                            \
      __atomic_store_n(&known, real = dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED); \
    type done = ((type(*) params)real)args;                               \
    take_time(fd, bytes, __builtin_return_address(0));                    \
    return done;                                                          \
  }

FILE_CALL(ssize_t, read, (int fd, void *b, size_t n), (fd, b, n), fd, done)
FILE_CALL(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n), fd, done)
FILE_CALL(ssize_t, pread, (int fd, void *b, size_t n, off_t at), (fd, b, n, at), fd, done)
FILE_CALL(ssize_t, pread64, (int fd, void *b, size_t n, off64_t at), (fd, b, n, at), fd, done)
FILE_CALL(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t at), (fd, b, n, at), fd, done)
FILE_CALL(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t at), (fd, b, n, at), fd, done)
FILE_CALL(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n), fd, done)
FILE_CALL(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), fd, done)
FILE_CALL(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), fd, done)
FILE_CALL(ssize_t, preadv64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at), fd, done)
FILE_CALL(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), fd, done)
FILE_CALL(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at), fd, done)
FILE_CALL(size_t, fread, (void *b, size_t size, size_t n, FILE *f), (b, size, n, f), fileno(f), (ssize_t)(done * size))
FILE_CALL(size_t, fwrite, (const void *b, size_t size, size_t n, FILE *f), (b, size, n, f), fileno(f), (ssize_t)(done * size))
