#define MS 1000000           /* ns */
#define SECOND 1000000000u   /* ns */
#define DEFAULT_QUIET_MS 2000
#define ANSWER_MS 100        /* how long a thread has to write its stack down */
#define BETWEEN_LOOKS_MS 20
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/locks.h"
#include "base/recording.h"
#include "base/settings.h"
#include "base/stat.h"
#include "file/node.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/thread.h"
#include "stack/modules.h"
#include "start/activity.h"
#include "start/asleep.h"
#include "start/capture.h"
#include "start/dealt.h"
#include "start/filelock.h"
#include "start/others.h"
#include "start/own.h"
#include "start/sample.h"
#include "start/show.h"
#include "start/task.h"
#include "start/watch.h"

#define LOOKS_AGAIN 4

static uint64_t quiet_ns = 2000000000u;
static bool asked; /* a signal asked for the stacks */

/* ---- looking at the threads ---- */

/* has_run tells whether a thread that would run did so since it was looked at
 * last. On a crowded machine one that spins may be found where it was because it
 * was given no processor. */
#define TIME_SLICE MS /* ns: longer than the handler that takes the stack */

static bool has_run(const struct lg_thr *t)
{
  uint64_t ran, waited;
  return !lg_task_schedule(t->tid, &ran, &waited) || ran - t->ran >= TIME_SLICE || lg_task_sleeps(t->tid);
}

/* ask has a running thread write its own stack down, and waits for it: its
 * handler wants the file lock, and must not find another's. */
static bool ask(struct lg_thr *t)
{
  if (!lg_task_takes(t->tid, lg_capture_signal))
    return false;
  uint64_t before = __atomic_load_n(&t->pub->stack.seq, __ATOMIC_ACQUIRE);
  lg_capture_ask(t->tid);
  for (int i = 0; i < ANSWER_MS; i++) {
    uint64_t now = __atomic_load_n(&t->pub->stack.seq, __ATOMIC_ACQUIRE);
    if (now != before && now % 2 == 0)
      return true;
    nanosleep(&(struct timespec){0, MS}, NULL);
  }
  return false;
}

/* look_at_call: the kernel tells in which system call a thread is. */
static bool look_at_call(struct lg_thr *t)
{
  struct lg_asleep asleep;
  switch (lg_doing(t->tid, &asleep)) {
  case LG_RUNS:
    return ask(t);
  case LG_IN_CALL:
    if (asleep.awaits.what == LG_AWAITED_FILE_LOCK && !t->pub->in_mpi)
      lg_file_lock_note(t, &asleep.awaits);
    return lg_capture_asleep(t, &asleep);
  default:
    return false;
  }
}

static bool look(struct lg_thr *t)
{
  t->starved = !has_run(t);
  bool got = false;
  if (lg_task_calls_told())
    got = look_at_call(t);
  else
    got = !lg_task_sleeps(t->tid) && ask(t); /* our signal would end a sleep early */
  uint64_t waited;
  if (!lg_task_schedule(t->tid, &t->ran, &waited))
    t->ran = 0;
  return got;
}

static bool unmoved(const struct lg_thr *t)
{
  return t->pub->stack.same > 1 && t->pub->stack.calls == t->pub->calls && !(t->pub->stack.flags & LG_STACK_IDLE);
}

/* capture takes the stacks of all threads that called MPI, after those of the others, and tells whether it
 * got all: so whoever reads the file meanwhile finds no stack of another thread that is older than these.
 * Of one blocked in MPI it shows whether the library still looks for
 * messages, or stands still itself. A thread in a short loop may be seen at the same
 * instruction twice, so one that seems not to have moved is looked at again. */
static bool capture(uint32_t why)
{
  bool all = true, again = true;
  lg_capture_why = why;
  lg_lock_file();
  lg_modules_current(); /* a signal handler cannot */
  lg_unlock_file();
  lg_others_look();
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE))
      all &= look(t);
  for (int i = 0; i < LOOKS_AGAIN && again; i++) {
    again = false;
    for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
      if (!__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) || !unmoved(t))
        continue;
      if (!again)
        nanosleep(&(struct timespec){0, BETWEEN_LOOKS_MS * MS}, NULL);
      again = true;
      look(t);
    }
  }
  return all;
}

/* ---- the thread ---- */

/* activity changes with every step of the program but empty polls. */
static uint64_t activity(void)
{
  uint64_t sum = __atomic_load_n(&lg_capture_left, __ATOMIC_RELAXED);
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
    const struct lg_thread *p = t->pub;
    sum += p->progress * 2 + (p->kind != LG_OP_POLL && p->kind != LG_OP_LOCAL && p->in_mpi);
  }
  return sum;
}

/* starved is how long threads at work were given no processor since the last
 * call, the longest of them. One that waits inside MPI is not at work: how often it
 * gets to look for messages says nothing. MPI_Init is work. */
static uint64_t starved(void)
{
  uint64_t most = 0, ran, waited;
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
    if (!__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) || !lg_task_schedule(t->tid, &ran, &waited))
      continue;
    bool works = !t->pub->in_mpi || t->pub->kind == LG_OP_INIT;
    if (works && t->waited && waited > t->waited && waited - t->waited > most)
      most = waited - t->waited;
    t->waited = waited;
  }
  return most;
}

/* away is by how much a look comes too late: the process was stopped, the machine
 * slept, or this thread was given no processor. */
static uint64_t away(uint64_t now)
{
  static uint64_t before;
  uint64_t late = before && now > before + 2 * SECOND ? now - before - SECOND : 0;
  before = now;
  return late;
}

/* moved: the program made progress. What was active until then did not stand still. */
static void moved(uint64_t now)
{
  uint64_t quiet = lg_rank->quiet_since_ns;
  if (!quiet)
    return;
  uint64_t still = lg_rank->active_ns > quiet ? lg_rank->active_ns : quiet;
  if (now > still && now - still > lg_rank->longest_quiet_ns)
    lg_rank->longest_quiet_ns = now - still;
  lg_rank->quiet_since_ns = 0;
  lg_show();
}

/* tick looks once whether the program makes progress. Time in which it could not
 * run, whatever the reason, does not count as time without progress. */
static void tick(uint64_t now)
{
  static uint64_t last, since, captured, wait;
  static bool counted; /* the threads' waiting since the last look is known */
  uint64_t a = activity(), late = away(now);
  __atomic_store_n(&lg_rank->heartbeat_ns, now, __ATOMIC_RELAXED);
  if (a != last || !since) {
    moved(now);
    last = a;
    since = now;
    captured = 0;
    wait = SECOND;
    lg_activity_begin();
    counted = false;
    return;
  }
  lg_activity_look(now);
  uint64_t lost = counted ? starved() : (starved(), 0);
  counted = true;
  since += late > lost ? late : lost;
  if (since > now)
    since = now;
  if (now - since < quiet_ns)
    return;
  lg_rank->quiet_since_ns = since;
  if (captured && now - captured < wait)
    return;
  captured = now;
  if (capture(LG_WHY_QUIET) && wait < 16 * SECOND)
    wait *= 2; /* seldom, once it is clear that nothing moves */
  lg_show();
}

/* The robust list of this thread, with one futex: in the node file. When a process is
 * killed, the kernel marks that futex before it closes the connections by which a launcher
 * learns of the end. So whoever watches can tell the first of those that end from the
 * ones that the launcher ended for it. The C library's list of this thread, in whose place it
 * comes, is empty. */
static struct {
  struct robust_list_head head;
  struct robust_list entry;
} robust;

static void note_end(void)
{
  uint32_t *ending = lg_file_ending();
  if (!ending)
    return;
  robust.entry.next = &robust.head.list;
  robust.head.list.next = &robust.entry;
  robust.head.futex_offset = (long)((uintptr_t)ending - (uintptr_t)&robust.entry);
  __atomic_store_n(ending, (uint32_t)syscall(SYS_gettid) | FUTEX_WAITERS, __ATOMIC_RELEASE);
  syscall(SYS_set_robust_list, &robust.head, sizeof robust.head);
}

/* no_end: this thread ends, and the process does not. */
static void no_end(void)
{
  robust.head.list.next = &robust.head.list;
}

/* alone tells whether all threads of the program have ended, the main thread too: with the last one the process would
 * have ended, but for this thread. */
static bool alone(void)
{
  char line[LG_TASK_LINE];
  struct stat st;
  return lg_task_state(getpid(), line, NULL) == 'Z' && lg_stat("/proc/self/task", &st) == 0 && st.st_nlink == 2 + 2;
}

/* once_a_second reports whether there is something left to watch. */
static bool once_a_second(uint64_t now)
{
  if (lg_file_cut())
    lg_turn_off("the run file was cut short");
  lg_look_behind_finalize();
  lg_look_behind_exit();
  tick(now);
  lg_dealt_look(now);
  if (__atomic_exchange_n(&asked, false, __ATOMIC_ACQ_REL)) {
    capture(LG_WHY_ASKED);
    lg_show();
  }
  return !(lg_rank->quiet_since_ns && alone());
}

static void *watch(void *unused)
{
  (void)unused;
  pthread_setname_np(pthread_self(), "laggard");
  note_end();
  lg_sample_start();
  for (uint64_t due = 0; !lg_off;) {
    uint64_t now = lg_now(), pause = lg_sample_pause();
    if (now >= due || due > now + SECOND) { /* or the clock was set back */
      if (!once_a_second(now))
        break;
      due = now + SECOND;
    }
    if (pause)
      lg_sample_take(now);
    nanosleep(&(struct timespec){0, (long)(pause ? pause : SECOND - 1)}, NULL);
  }
  no_end();
  return NULL;
}

void lg_watch_ask(void)
{
  __atomic_store_n(&asked, true, __ATOMIC_RELEASE);
}

void lg_watch_start(void)
{
  long ms = lg_env_int("QUIET_MS", DEFAULT_QUIET_MS);
  quiet_ns = (uint64_t)ms * MS;
  lg_sample_read_settings();
  if (lg_own_thread(watch))
    return;
  lg_lock_file();
  lg_note("no watch thread: ranks that compute are not located, and dead ranks cannot be distinguished from silent ones");
  lg_unlock_file();
}
