#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include "start/own.h"

#define STACK_BYTES 262144 /* beside the thread-local data of the program and its libraries, which the C library puts there as well */

/* The interface of ThreadSanitizer for threads whose races it must not report. */
#define SANITIZER extern __attribute__((weak))
SANITIZER void AnnotateIgnoreReadsBegin(const char *file, int line);
SANITIZER void AnnotateIgnoreReadsEnd(const char *file, int line);
SANITIZER void AnnotateIgnoreWritesBegin(const char *file, int line);
SANITIZER void AnnotateIgnoreWritesEnd(const char *file, int line);

/* run is a thread of the recorder's. The sanitizer sees what it reads and writes by functions of the C library, but not its atomic
 * operations, as the recorder is not built with it: it would report races, and end the program with another status. */
static void *run(void *body)
{
  bool ignored = AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesBegin && AnnotateIgnoreWritesEnd;
  if (ignored) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  void *result = ((void *(*)(void *))body)(NULL);
  if (ignored) {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  return result;
}

static int add_thread_local(struct dl_phdr_info *info, size_t size, void *sum)
{
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS)
      *(size_t *)sum += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
  return 0;
}

/* thread_local_bytes are those that are not for the thread's functions. Debuggers and Java ask the C library for them in the same
 * way; without its answer they are what the modules have, some of which may not be on the stack. */
static size_t thread_local_bytes(const pthread_attr_t *attr)
{
  size_t (*least)(const pthread_attr_t *) = (size_t (*)(const pthread_attr_t *))dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
  size_t sum = 0;
  if (least)
    return least(attr);
  dl_iterate_phdr(add_thread_local, &sum);
  return sum;
}

static bool start(const pthread_attr_t *attr, void *(*body)(void *))
{
  pthread_t thread;
  return pthread_create(&thread, attr, run, (void *)body) == 0;
}

bool lg_own_thread(void *(*body)(void *))
{
  pthread_attr_t attr;
  sigset_t all, before;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attr, STACK_BYTES + thread_local_bytes(&attr));
  sigfillset(&all);
  sigdelset(&all, SIGBUS); /* of a file that is cut short: blocked, it would end the process */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool begun = start(&attr, body);
  if (!begun) {
    pthread_attr_destroy(&attr);
    pthread_attr_init(&attr); /* whatever the C library wants */
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    begun = start(&attr, body);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return begun;
}
