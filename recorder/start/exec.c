/* A rank that becomes another program has left the job by itself: without a word it would seem to have been killed.
 * Children of fork and vfork are no ranks, and nothing is said of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>
#include "base/base.h"
#include "export.h"
#include "file/rank.h"

typedef int path_exec(const char *, char *const *, char *const *);
static path_exec *run, *search;

/* A forked child must not look for a function: another thread may have held the loader's lock. */
__attribute__((constructor)) static void find(void)
{
  run = (path_exec *)dlsym(RTLD_NEXT, "execve"); /* another library may interpose it as well */
  search = (path_exec *)dlsym(RTLD_NEXT, "execvpe");
}

static int searching(const char *file, char *const *args, char *const *env)
{
  if (!search)
    find(); /* the constructor of another library is at work */
  return search(file, args, env);
}

static int direct(const char *path, char *const *args, char *const *env)
{
  if (!run)
    find();
  return run(path, args, env);
}

/* become runs another program, which returns only if that cannot be. */
static int become(path_exec *how, const char *path, char *const *args, char *const *env)
{
  lg_said_end(LG_EXITED, -1, LG_ENDER_EXEC);
  int result = how(path, args, env), saved = errno;
  lg_stays();
  errno = saved;
  return result;
}

LG_EXPORT int execve(const char *path, char *const args[], char *const env[])
{
  return become(direct, path, args, env);
}

LG_EXPORT int execv(const char *path, char *const args[])
{
  return become(direct, path, args, environ);
}

LG_EXPORT int execvpe(const char *file, char *const args[], char *const env[])
{
  return become(searching, file, args, env);
}

LG_EXPORT int execvp(const char *file, char *const args[])
{
  return become(searching, file, args, environ);
}

/* count tells how many arguments execl and its like were given. */
static size_t count(const char *first, va_list *more)
{
  size_t n = 0;
  for (const char *arg = first; arg; arg = va_arg(*more, const char *))
    n++;
  return n;
}

/* LISTED runs a program with the arguments that are given one by one, up to a null pointer; env may take one more. */
#define LISTED(how, path, env)                                      \
  va_list more;                                                     \
  va_start(more, first);                                            \
  size_t n = count(first, &more);                                   \
  va_end(more);                                                     \
  const char *args[n + 1];                                          \
  va_start(more, first);                                            \
  args[0] = first;                                                  \
  for (size_t i = 1; i <= n; i++)                                   \
    args[i] = va_arg(more, const char *);                           \
  char *const *variables = (env);                                   \
  va_end(more);                                                     \
  return become(how, path, (char *const *)args, variables)

LG_EXPORT int execl(const char *path, const char *first, ...)
{
  LISTED(direct, path, environ);
}

LG_EXPORT int execlp(const char *file, const char *first, ...)
{
  LISTED(searching, file, environ);
}

LG_EXPORT int execle(const char *path, const char *first, ...)
{
  LISTED(direct, path, va_arg(more, char *const *));
}
