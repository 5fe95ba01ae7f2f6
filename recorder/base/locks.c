#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/locks.h"

#define SPINS 100    /* tries before the holder is given the processor: it may not be running */
#define YIELDS 300   /* tries before the thread sleeps: the holder may have a lower priority, or wait for a slow file system */
#define SLEEP_NS 50000
#define PATIENCE 2000 /* tries before lg_lock_file_soon gives up */

bool lg_shared;
static int tables_lock, file_lock;
static __thread int file_depth __attribute__((tls_model("initial-exec")));

/* rest is no point of cancellation, as nanosleep would be. */
static void rest(void)
{
  int err = errno;
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){0, SLEEP_NS}, NULL);
  errno = err;
}

static void acquire(int *lock)
{
  for (int tries = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);) {
    if (tries < YIELDS)
      tries++;
    else
      rest();
    if (tries > SPINS && tries < YIELDS)
      sched_yield();
  }
}

static void drop(int *lock)
{
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static __thread bool tables_held __attribute__((tls_model("initial-exec")));

void lg_lock_tables(void)
{
  if (likely(!lg_shared))
    return;
  acquire(&tables_lock);
  tables_held = true;
}

void lg_unlock_tables(void)
{
  if (likely(!tables_held))
    return;
  tables_held = false;
  drop(&tables_lock);
}

void lg_lock_file(void)
{
  if (file_depth++ == 0)
    acquire(&file_lock);
}

bool lg_trylock_file(void)
{
  if (file_depth || __atomic_exchange_n(&file_lock, 1, __ATOMIC_ACQUIRE))
    return false;
  file_depth = 1;
  return true;
}

/* The loader's lock may be this thread's, and the holder may wait for that. */
bool lg_lock_file_soon(void)
{
  if (file_depth == 0)
    for (int i = 0; __atomic_exchange_n(&file_lock, 1, __ATOMIC_ACQUIRE); i++) {
      if (i > PATIENCE)
        return false;
      if (i > SPINS)
        sched_yield();
    }
  file_depth++;
  return true;
}

void lg_unlock_file(void)
{
  if (--file_depth == 0)
    drop(&file_lock);
}

bool lg_file_mine(void)
{
  return file_depth > 0;
}
