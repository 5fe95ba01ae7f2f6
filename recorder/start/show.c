#define _GNU_SOURCE
#include <pthread.h>
#include "file/node.h"
#include "file/record.h"
#include "start/own.h"
#include "start/show.h"

enum { IDLE, WRITES, ONCE_MORE };
static int state;

static void *write_out(void *unused)
{
  int writes;
  (void)unused;
  pthread_setname_np(pthread_self(), "laggard-show");
  do {
    writes = WRITES;
    __atomic_store_n(&state, writes, __ATOMIC_RELEASE);
    lg_file_sync();
  } while (!__atomic_compare_exchange_n(&state, &writes, IDLE, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return NULL;
}

void lg_show(void)
{
  if (!lg_file_shared() || __atomic_exchange_n(&state, ONCE_MORE, __ATOMIC_ACQ_REL) != IDLE)
    return;
  if (!lg_own_thread(write_out))
    __atomic_store_n(&state, IDLE, __ATOMIC_RELEASE);
}
