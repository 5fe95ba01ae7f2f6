#define STACK_BYTES 262144
#include <pthread.h>
#include <signal.h>
#include "start/own.h"

static bool start(const pthread_attr_t *attr, void *(*body)(void *))
{
  pthread_t thread;
  return pthread_create(&thread, attr, body, NULL) == 0;
}

bool lg_own_thread(void *(*body)(void *))
{
  pthread_attr_t attr;
  sigset_t all, before;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attr, STACK_BYTES);
  sigfillset(&all);
  sigdelset(&all, SIGBUS); /* of a file that is cut short: blocked, it would end the process */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool begun = start(&attr, body);
  if (!begun) {
    pthread_attr_destroy(&attr);
    pthread_attr_init(&attr); /* a program with much thread-local data needs the default size */
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    begun = start(&attr, body);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return begun;
}
