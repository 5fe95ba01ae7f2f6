#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crc.h"
#include "base/peek.h"
#include "file/rank.h"
#include "identity/thread.h"
#include "machine/machine.h"
#include "start/activity.h"
#include "start/capture.h"
#include "start/task.h"

#define MS 1000000         /* ns */
#define SECOND 1000000000u /* ns */
#define WINDOW (5ull * SECOND)  /* the time in which LEAST_BYTES or LEAST_PAGES count as activity */
#define LEAST_BYTES 16384       /* a waiting loop wakes up by messages of a few bytes */
#define MOST_BYTES (1ull << 40) /* that one system call moves; an address is more */
#define LEAST_PAGES 256         /* that a thread touches, and that the process has more: a kernel that balances the memory
                                 * of several processors takes the pages of a waiting loop away, and gives them back */
#define LONGEST_CALL (300ull * SECOND) /* one system call on a file that lasts longer proves nothing */
#define SAMPLES_PER_LOOK 9
#define BETWEEN_SAMPLES (MS / 5) /* a pass through a few megabytes takes milliseconds */
#define CROWDED (2 * MS)        /* a sample that takes longer: other processes have the processors, so that a pass may end */
#define CROWDED_LOOK (400 * MS) /* within a few samples; then more are taken, for so long */
#define ANSWER_MS 500           /* how long one look waits for a thread to copy its registers */
#define ANSWER_STEP (MS / 20)   /* between the first two looks for them, ns; the time doubles up to */
#define ANSWER_LONG (2 * MS)    /* this, as looking takes processor time from the thread */
#define IN_KERNEL (50 * MS)     /* a thread that runs that long before it takes a signal is busy in the kernel */
#define NEAR 4096               /* bytes between program counters of one loop */
#define IN_A_ROW 8              /* samples that must show a register advance, */
#define NEW_ONES 3              /* of these from the present look, at least */
#define LEAST_STEP 512          /* by how much from one to the next; a clock counts microseconds */
#define LEAST_WAY 65536         /* and all in all; */
#define LEAST_INDEX (1 << 20)   /* what is no address itself must go further than microseconds of a second do */
#define SCATTERED LG_SAMPLES    /* samples that must show a register all over a range of LEAST_INDEX bytes or more: a loop that
                                 * waits comes back to the same few addresses, one for each rank that it looks for */
#define PAGE 4096               /* of these addresses many are at the same place of a page: */
#define LEAST_PLACES (SCATTERED / 2) /* in how many places of one must be what is scattered */

struct counts {
  uint64_t read, written, faults, resident;
};

static struct {
  bool begun;
  struct counts start, window;
  uint64_t window_ns;  /* when the window began */
  uint32_t calls;      /* hash of the system calls on files that were in progress; 0 none */
  uint64_t calls_ns;   /* since when */
} seen;

/* inside tells whether a thread is in an MPI call that lasts. One that polls is in the program's own loop. */
static bool inside(const struct lg_thr *t)
{
  return __atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) && t->pub->in_mpi && t->pub->kind != LG_OP_POLL;
}

/* ---- bytes and page faults ---- */

static struct counts count(void)
{
  struct counts sum = {0};
  char statm[LG_TASK_LINE];
  if (lg_task_read(getpid(), "statm", statm, sizeof statm))
    sscanf(statm, "%*u %lu", &sum.resident);
  for (const struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
    char text[LG_TASK_LINE];
    const char *rest;
    uint64_t a, b;
    if (!inside(t))
      continue;
    if (lg_task_read(t->tid, "io", text, sizeof text) && sscanf(text, "rchar: %lu wchar: %lu", &a, &b) == 2)
      sum.read += a, sum.written += b;
    if (lg_task_state(t->tid, text, &rest) && sscanf(rest, "%*d %*d %*d %*d %*d %*u %lu %*u %lu", &a, &b) == 2)
      sum.faults += a + b;
  }
  return sum;
}

/* more is how much a counter grew. That of a thread that left its call is missing. */
static uint64_t more(uint64_t now, uint64_t before)
{
  return now > before ? now - before : 0;
}

static uint32_t moved(uint64_t now)
{
  struct counts c = count();
  if (!seen.begun) {
    seen.begun = true;
    seen.start = seen.window = c;
    seen.window_ns = now;
    return LG_ACTIVE_NOT;
  }
  lg_rank->call_read = more(c.read, seen.start.read);
  lg_rank->call_written = more(c.written, seen.start.written);
  uint32_t how = LG_ACTIVE_NOT;
  if (more(c.read, seen.window.read) + more(c.written, seen.window.written) >= LEAST_BYTES)
    how = LG_ACTIVE_BYTES;
  else if (more(c.faults, seen.window.faults) >= LEAST_PAGES && more(c.resident, seen.window.resident) >= LEAST_PAGES)
    how = LG_ACTIVE_MEMORY;
  if (how || now - seen.window_ns >= WINDOW) {
    seen.window = c;
    seen.window_ns = now;
  }
  return how;
}

/* ---- system calls on files ---- */

/* on_file tells whether a descriptor is one of a file. Its name asks no file server, as fstat may. */
static bool on_file(int fd)
{
  char link[32], path[8];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path);
  return n > 0 && path[0] == '/' && !(n >= 5 && memcmp(path, "/dev/", 5) == 0);
}

static bool moves_file(long nr, int fd)
{
  switch (nr) {
  case SYS_read: case SYS_readv: case SYS_pread64: case SYS_preadv: case SYS_preadv2:
  case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev: case SYS_pwritev2:
  case SYS_fsync: case SYS_fdatasync: case SYS_sync_file_range: case SYS_ftruncate: case SYS_fallocate:
  case SYS_sendfile: case SYS_copy_file_range: case SYS_close:
    return on_file(fd);
  case SYS_openat: case SYS_msync: case SYS_io_submit: case SYS_sync: case SYS_syncfs:
    return true;
  default:
    return false;
  }
}

/* file_call is a hash of what a thread waits for at a file or a disk; 0 nothing. */
static uint32_t file_call(int tid)
{
  char text[LG_TASK_LINE];
  long nr;
  unsigned long fd = 0;
  if (!lg_task_calls_told() || !lg_task_read(tid, "syscall", text, sizeof text) || sscanf(text, "%ld %lx", &nr, &fd) < 1)
    return 0;
  uint32_t hash = lg_crc(0, text, strlen(text)) ^ (uint32_t)tid;
  char stat[LG_TASK_LINE];
  return moves_file(nr, (int)fd) || lg_task_state(tid, stat, NULL) == 'D' ? hash | 1 : 0;
}

/* file_calls sums up file_call over the threads of the process: MPI may have others do its input and output. */
static uint32_t file_calls(void)
{
  int tids[LG_TASKS], n = lg_tasks(tids);
  uint32_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += file_call(tids[i]);
  return sum;
}

static bool at_file(uint64_t now)
{
  uint32_t calls = file_calls();
  if (calls != seen.calls)
    seen.calls_ns = now;
  seen.calls = calls;
  return calls && now - seen.calls_ns < LONGEST_CALL;
}

/* ---- going through memory ---- */

static bool mapped(uint64_t at)
{
  char byte;
  return lg_peek(at, &byte, 1) == 1;
}

/* behind_syscall tells whether the instruction before pc is a system call, such as that of a loop that yields. */
static bool behind_syscall(uint64_t pc)
{
  char code[sizeof LG_SYSCALL - 1];
  return lg_peek(pc - sizeof code, code, sizeof code) == sizeof code && memcmp(code, LG_SYSCALL, sizeof code) == 0;
}

/* same_loop lists the latest samples that are near the last one, that first; returns how many, so many at most. A thread
 * that was given no processor between two samples has the same registers in both. */
static int same_loop(const struct lg_samples *s, const uint64_t **v, int most)
{
  int n = 0;
  for (uint32_t i = 1; i <= LG_SAMPLES && i <= s->taken - s->first && n < most; i++) {
    const uint64_t *one = s->v[(s->taken - i) % LG_SAMPLES];
    bool near = n == 0 || one[PC] - v[0][PC] + NEAR < 2 * NEAR;
    bool again = n > 0 && memcmp(one, v[n - 1], sizeof s->v[0]) == 0;
    if (near && !again && !behind_syscall(one[PC]))
      v[n++] = one;
  }
  return n;
}

/* advance is by how much a register grew, or fell, over all samples; 0: not by LEAST_STEP from each to the next. */
static uint64_t advance(const uint64_t *v[IN_A_ROW], int reg)
{
  bool up = v[0][reg] > v[1][reg];
  for (int i = 1; i < IN_A_ROW; i++) {
    uint64_t later = v[i - 1][reg], earlier = v[i][reg];
    if ((later > earlier) != up || (up ? later - earlier : earlier - later) < LEAST_STEP)
      return 0;
  }
  return up ? v[0][reg] - v[IN_A_ROW - 1][reg] : v[IN_A_ROW - 1][reg] - v[0][reg];
}

static bool constant(const uint64_t **v, int n, int reg)
{
  for (int i = 1; i < n; i++)
    if (v[i][reg] != v[0][reg])
      return false;
  return true;
}

static bool all_mapped(const uint64_t **v, int n, int reg, uint64_t base)
{
  for (int i = 0; i < n; i++)
    if (!mapped(base + v[i][reg]))
      return false;
  return true;
}

/* points tells whether a register that went that way holds an address in each of the samples, or an index into what another one
 * points at. */
static bool points(const uint64_t **v, int n, int reg, uint64_t way)
{
  if (all_mapped(v, n, reg, 0))
    return true;
  if (way < LEAST_INDEX)
    return false;
  for (int base = 0; base < NREGS; base++)
    if (base != reg && base != PC && base != SP && constant(v, n, base) && mapped(v[0][base]) && all_mapped(v, n, reg, v[0][base]))
      return true;
  return false;
}

/* range is how far apart the values of a register are that are all over a range; 0: some are near each other, or they are at a
 * few places of a page. */
static uint64_t range(const uint64_t *v[SCATTERED], int reg)
{
  uint64_t least = v[0][reg], most = least;
  int places = 0;
  for (int i = 0; i < SCATTERED; i++) {
    uint64_t one = v[i][reg];
    bool new_place = true;
    for (int k = 0; k < i; k++) {
      uint64_t other = v[k][reg];
      if ((one > other ? one - other : other - one) < LEAST_STEP)
        return 0;
      new_place = new_place && one % PAGE != other % PAGE;
    }
    places += new_place;
    least = one < least ? one : least;
    most = one > most ? one : most;
  }
  return places < LEAST_PLACES ? 0 : most - least;
}

/* goes_about_memory: on a crowded machine a pass through memory may end between two samples, so that no register is seen to
 * advance; but it is somewhere else each time. */
static bool goes_about_memory(const struct lg_samples *s)
{
  const uint64_t *v[SCATTERED];
  if (same_loop(s, v, SCATTERED) < SCATTERED)
    return false;
  for (int reg = 0; reg < NREGS; reg++) {
    uint64_t way = reg == PC || reg == SP ? 0 : range(v, reg);
    if (way >= LEAST_INDEX && points(v, SCATTERED, reg, way))
      return true;
  }
  return false;
}

static bool goes_through_memory(const struct lg_samples *s)
{
  const uint64_t *v[IN_A_ROW];
  if (same_loop(s, v, IN_A_ROW) < IN_A_ROW)
    return false;
  for (int reg = 0; reg < NREGS; reg++) {
    uint64_t way = reg == PC || reg == SP ? 0 : advance(v, reg);
    if (way >= LEAST_WAY && points(v, IN_A_ROW, reg, way))
      return true;
  }
  return false;
}

/* sample has a running thread copy its registers; false: it has not yet. A thread takes a signal when it runs outside the
 * kernel, on a crowded machine perhaps in a later look. busy: it ran for so long without that it is at work in the
 * kernel. One that has the signal blocked is not asked. */
static bool sample(struct lg_thr *t, bool *busy)
{
  struct lg_samples *s = &t->samples;
  uint64_t ran, waited;
  if (!s->asked) {
    if (!lg_task_takes(t->tid, lg_capture_signal))
      return false;
    s->asked_at = __atomic_load_n(&s->taken, __ATOMIC_ACQUIRE);
    s->asked_ran = lg_task_schedule(t->tid, &ran, &waited) ? ran : UINT64_MAX;
    s->asked = true;
    lg_capture_ask_registers(t->tid);
  }
  for (long step = ANSWER_STEP, slept = 0; slept < ANSWER_MS * (long)MS; slept += step) {
    if (__atomic_load_n(&s->taken, __ATOMIC_ACQUIRE) != s->asked_at) {
      s->asked = false;
      return true;
    }
    if (slept >= 4 * step && step < ANSWER_LONG)
      step *= 2;
    nanosleep(&(struct timespec){0, step}, NULL);
  }
  bool known = s->asked_at > 0 && s->asked_ran != UINT64_MAX && lg_task_schedule(t->tid, &ran, &waited);
  *busy = known && ran - s->asked_ran >= IN_KERNEL;
  return false;
}

/* calls_move tells whether a sample, from that number on, is right behind a system call that moved many bytes: one from
 * the memory of another process, which no counter has. Other calls return the number of a process. */
static bool calls_move(const struct lg_samples *s, const struct lg_thr *t, uint32_t from)
{
  for (uint32_t i = from; i < s->taken; i++) {
    const uint64_t *v = s->v[i % LG_SAMPLES];
    bool number = v[RESULT] == (uint64_t)getpid() || v[RESULT] == (uint64_t)getppid() || v[RESULT] == (uint64_t)t->tid;
    if (v[RESULT] >= LEAST_BYTES && v[RESULT] < MOST_BYTES && !number && behind_syscall(v[PC]))
      return true;
  }
  return false;
}

static bool copies(struct lg_thr *t)
{
  struct lg_samples *s = &t->samples;
  if (s->calls != t->pub->calls) {
    s->calls = t->pub->calls;
    s->first = s->taken;
  }
  bool busy = false, crowded = false, was_crowded = false;
  uint32_t before = s->taken;
  uint64_t begin = lg_now();
  for (int i = 0; (i < SAMPLES_PER_LOOK || crowded) && !lg_task_sleeps(t->tid) && sample(t, &busy); i++) {
    uint64_t took = lg_now() - begin;
    crowded = took < CROWDED_LOOK && took > (uint64_t)(i + 1) * CROWDED;
    was_crowded = was_crowded || crowded;
    const uint64_t *v[NEW_ONES];
    if (s->taken - before >= NEW_ONES)
      crowded = crowded && same_loop(s, v, NEW_ONES) == NEW_ONES; /* else it polls through the kernel */
    if (crowded && s->taken - before >= NEW_ONES && goes_through_memory(s))
      return true;
    nanosleep(&(struct timespec){0, BETWEEN_SAMPLES}, NULL);
  }
  return busy || calls_move(s, t, before) ||
         (s->taken - before >= NEW_ONES && (goes_through_memory(s) || (was_crowded && goes_about_memory(s))));
}

static bool some_copies(void)
{
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (inside(t) && copies(t))
      return true;
  return false;
}

/* ---- */

static bool some_inside(void)
{
  for (const struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (inside(t))
      return true;
  return false;
}

void lg_activity_begin(void)
{
  seen.begun = false;
  seen.calls = 0;
  lg_rank->active_ns = lg_rank->call_read = lg_rank->call_written = 0;
  lg_rank->active_how = LG_ACTIVE_NOT;
}

void lg_activity_look(uint64_t now)
{
  if (!some_inside())
    return;
  uint32_t how = moved(now);
  if (at_file(now) && !how)
    how = LG_ACTIVE_FILE;
  if (!how && some_copies())
    how = LG_ACTIVE_COPY;
  if (!how)
    return;
  lg_rank->active_how = how;
  lg_rank->active_ns = now;
}
