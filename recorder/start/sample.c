#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/hash.h"
#include "base/procfile.h"
#include "base/recording.h"
#include "base/settings.h"
#include "file/series.h"
#include "identity/thread.h"
#include "mpi/table.h"
#include "start/sample.h"
#include "start/task.h"

#define SECOND 1000000000u /* ns */
#define DEFAULT_HZ 10
#define MOST_HZ 100
#define BUSY_POLLS 10000   /* empty polls a second of a thread that does nothing but poll */
#define FIRST_WINDOW 2     /* seconds, in which states are found; each window is twice as long as the one before, up to */
#define WINDOW 10          /* this: so often the anchor is looked at */
#define LONGEST_WINDOW 600 /* seconds; a loop whose iterations take longer has no anchor */
#define LEAST_TURNS 3      /* visits of an anchor in one window */
#define LEAST_SHARE 20     /* an anchor has at least one of so many samples */
#define CANDIDATES 16      /* for an anchor */
#define CPU_FIELD 36       /* number of the processor in /proc/PID/stat, counted from behind the state */

static uint32_t hz;
static struct lg_sum second; /* the present one */

/* ---- the thread ---- */

/* The thread that calls MPI most is sampled: what it does is what the rank does. */
static struct {
  struct lg_thr *thread;
  uint64_t progress, polls;     /* of it, as of the last second, and the last sample */
  uint64_t starved_ns;
  int cpu;                      /* that it ran on; -1 unknown */
} sampled = {.cpu = -1};

static uint64_t progress_of(const struct lg_thr *t)
{
  return __atomic_load_n(&t->pub->progress, __ATOMIC_RELAXED);
}

static struct lg_thr *busiest(void)
{
  struct lg_thr *best = NULL;
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) && (!best || progress_of(t) >= progress_of(best)))
      best = t;
  return best;
}

/* ---- the anchor: a state that comes once in each iteration of the loop that the thread is in ---- */

/* Of the states that samples find the thread at, those in inner loops are visited more often. So the anchor is the one
 * of them that is visited least, but again and again. A program may have begun its loops long after the window began, so each
 * state counts from when it was first found. */
static struct {
  struct candidate {
    struct lg_st *state;
    uint64_t visits;  /* when it was first found in the window, or when that began */
    uint32_t seconds; /* of the window, that were over by then */
    uint32_t before;  /* samples of the window by then */
    uint32_t samples; /* since */
  } candidates[CANDIDATES];
  struct lg_st *state; /* the anchor; NULL none */
  uint64_t visits;     /* of it, as of the last second */
  uint64_t window_visits; /* when the window began */
  uint32_t seconds, length; /* of the window */
  uint32_t samples;
} anchor = {.length = FIRST_WINDOW};

static uint64_t visits_of(const struct lg_st *st)
{
  return __atomic_load_n(&st->live->visits, __ATOMIC_RELAXED);
}

static void note_candidate(struct lg_st *st)
{
  struct candidate *least = anchor.candidates;
  anchor.samples++;
  for (struct candidate *c = anchor.candidates; c < anchor.candidates + CANDIDATES; c++) {
    if (c->state == st) {
      c->samples++;
      return;
    }
    if (!c->state || (least->state && c->samples < least->samples))
      least = c;
  }
  if (!least->state || !least->samples)
    *least = (struct candidate){st, visits_of(st), anchor.seconds, anchor.samples - 1, 1};
  else
    least->samples--; /* it is replaced once others have come as often */
}

/* least_visited waits until a state was watched for the length of a window: others may come less often, and were found later. */
static struct lg_st *least_visited(void)
{
  struct lg_st *best = NULL;
  double fewest = 0; /* visits a second */
  bool ripe = false;
  for (struct candidate *c = anchor.candidates; c < anchor.candidates + CANDIDATES; c++) {
    uint32_t watched = anchor.seconds - c->seconds;
    if (!c->state || watched < anchor.length / 2 || c->samples * LEAST_SHARE < anchor.samples - c->before)
      continue;
    uint64_t turns = visits_of(c->state) - c->visits;
    double rate = (double)turns / watched;
    if (turns < LEAST_TURNS)
      continue;
    ripe = ripe || watched >= anchor.length;
    if (!best || rate < fewest) {
      best = c->state;
      fewest = rate;
    }
  }
  return ripe ? best : NULL;
}

static void begin_window(void)
{
  for (struct candidate *c = anchor.candidates; c < anchor.candidates + CANDIDATES; c++) {
    if (c->state)
      *c = (struct candidate){.state = c->state, .visits = visits_of(c->state)};
  }
  anchor.samples = anchor.seconds = 0;
  anchor.length = anchor.length < WINDOW / 2 ? 2 * anchor.length : WINDOW;
  if (anchor.state)
    anchor.window_visits = visits_of(anchor.state);
}

/* choose_anchor keeps the anchor as long as it is visited, and lets the window grow while no state comes often enough. */
static void choose_anchor(void)
{
  if (++anchor.seconds < anchor.length)
    return;
  if (anchor.state && visits_of(anchor.state) - anchor.window_visits >= LEAST_TURNS) {
    begin_window();
    return;
  }
  struct lg_st *other = least_visited();
  if (other) {
    anchor.state = other;
    anchor.visits = visits_of(other);
  }
  if (other || anchor.seconds >= LONGEST_WINDOW || anchor.length == FIRST_WINDOW)
    begin_window();
}

static void forget_anchor(void)
{
  memset(&anchor, 0, sizeof anchor);
  anchor.length = FIRST_WINDOW;
}

/* ---- one sample ---- */

/* waited_for is what a thread waits for, as lg_sum has it; 0: that is not known. */
static uint64_t waited_for(const struct lg_thread *p)
{
  uint64_t before = __atomic_load_n(&p->seq, __ATOMIC_ACQUIRE);
  uint32_t comm = p->pending[0].comm;
  int32_t peer = p->npending == 1 && p->pending[0].kind != LG_OP_COLL ? p->pending[0].peer : LG_NONE;
  bool known = p->nlisted > 0 && comm != LG_NO_INDEX;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (before % 2 || __atomic_load_n(&p->seq, __ATOMIC_RELAXED) != before || !known)
    return 0;
  return (uint64_t)(comm + 1) << 32 | (uint32_t)peer;
}

static bool polls_only(struct lg_thr *t, char task)
{
  uint64_t polls = __atomic_load_n(&t->pub->polls, __ATOMIC_RELAXED), more = polls - sampled.polls;
  sampled.polls = polls;
  bool empty = __atomic_load_n(&t->empty.st, __ATOMIC_RELAXED) != NULL;
  return empty && more && (task == 'S' || more >= BUSY_POLLS / hz);
}

/* task_state is the letter of the kernel for what the thread does, and notes the processor that it is on. */
static char task_state(int tid)
{
  char line[LG_TASK_LINE];
  const char *rest;
  char state = lg_task_state(tid, line, &rest);
  if (!state)
    return 0;
  for (int field = 1; rest && field < CPU_FIELD; field++)
    rest = strchr(rest + 1, ' ');
  if (!rest || sscanf(rest, "%d", &sampled.cpu) != 1)
    sampled.cpu = -1;
  return state;
}

static void take(struct lg_thr *t)
{
  struct lg_st *st = __atomic_load_n(&t->model.prev, __ATOMIC_RELAXED);
  const struct lg_thread *p = t->pub;
  char task = task_state(t->tid);
  bool inside = __atomic_load_n(&p->in_mpi, __ATOMIC_RELAXED), polls = polls_only(t, task);
  second.samples++;
  if (task == 'D' || (inside && st && lg_descs[st->func].file >= 0)) {
    second.io++;
  } else if (inside || polls) {
    second.waiting++;
    uint64_t whom = waited_for(p);
    if (whom)
      lg_leaders_count(&second.peers, whom, 1);
  } else {
    second.computing++;
  }
  if (!st)
    return;
  lg_leaders_count(&second.states, st->index, 1);
  if (inside || polls)
    st->live->waiting++;
  else
    st->live->computing++;
  if (!polls)
    note_candidate(st);
}

/* ---- once a second ---- */

static uint64_t cpu_ns(const struct rusage *u)
{
  return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * SECOND + (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

/* pressure is how many thousandths of the time since the last call some process of the node waited; 0 unknown. */
static uint64_t pressure(int kind, uint64_t elapsed_ns)
{
  static const char *const paths[] = {"/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory"};
  static uint64_t before[3]; /* microseconds */
  static bool absent[3];
  char text[LG_TASK_LINE];
  uint64_t total;
  absent[kind] = absent[kind] || !lg_read_text(paths[kind], text, sizeof text);
  const char *at = absent[kind] ? NULL : strstr(text, "total=");
  if (!at || sscanf(at, "total=%lu", &total) != 1)
    return 0;
  uint64_t waited = before[kind] && total > before[kind] ? total - before[kind] : 0;
  before[kind] = total;
  uint64_t parts = elapsed_ns ? waited * 1000 * 1000 / (elapsed_ns / 1000 + 1) : 0;
  return parts < 1000 ? parts : 1000;
}

static uint64_t clock_mhz(void)
{
  static bool absent;
  char path[64], text[LG_TASK_LINE];
  uint64_t khz;
  if (absent || sampled.cpu < 0)
    return 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", sampled.cpu);
  absent = !lg_read_text(path, text, sizeof text);
  return !absent && sscanf(text, "%lu", &khz) == 1 ? khz / 1000 : 0;
}

/* count_thread adds what the sampled thread did in the second, and what its node says. */
static void count_thread(struct lg_thr *t)
{
  uint64_t ran, starved, progress = progress_of(t);
  second.thread = t->pub->index;
  second.calls = progress - sampled.progress;
  sampled.progress = progress;
  if (lg_task_schedule(t->tid, &ran, &starved)) {
    second.starved_ns = sampled.starved_ns && starved > sampled.starved_ns ? starved - sampled.starved_ns : 0;
    sampled.starved_ns = starved;
  }
  second.anchor = anchor.state ? anchor.state->index : LG_NO_INDEX;
  if (anchor.state) {
    uint64_t visits = visits_of(anchor.state);
    second.turns = visits - anchor.visits;
    anchor.visits = visits;
  }
  choose_anchor();
}

static void count_process(uint64_t now)
{
  static uint64_t cpu_before, faults_before, time_before;
  struct rusage u;
  if (getrusage(RUSAGE_SELF, &u) == 0) {
    second.cpu_ns = time_before ? cpu_ns(&u) - cpu_before : 0;
    second.faults = time_before ? (uint64_t)u.ru_majflt - faults_before : 0;
    cpu_before = cpu_ns(&u);
    faults_before = (uint64_t)u.ru_majflt;
  }
  for (int kind = 0; kind < 3; kind++)
    second.pressure[kind] = pressure(kind, time_before ? now - time_before : 0);
  second.mhz = clock_mhz();
  time_before = now;
}

/* follow samples another thread; NULL: all that called MPI have ended, and the process goes on. */
static void follow(struct lg_thr *t)
{
  if (t == sampled.thread)
    return;
  sampled.thread = t;
  forget_anchor();
  if (!t)
    return;
  sampled.progress = progress_of(t);
  sampled.polls = t->pub->polls;
  sampled.starved_ns = 0;
}

/* end_second adds the second to the series. What a second counts that lasted longer, as the process was stopped, is
 * in the one that follows. */
static void end_second(uint64_t now)
{
  count_process(now);
  if (sampled.thread)
    count_thread(sampled.thread);
  second.seconds = 1;
  if (!lg_series_add(&second))
    hz = 0;
  memset(&second, 0, sizeof second);
  follow(busiest());
}

void lg_sample_take(uint64_t now)
{
  uint32_t at = (uint32_t)(now / SECOND);
  if (second.samples && second.begin != at)
    end_second(now);
  if (!sampled.thread)
    follow(busiest());
  second.begin = at;
  if (hz && sampled.thread)
    take(sampled.thread);
}

uint64_t lg_sample_pause(void)
{
  static uint64_t n;
  if (!hz)
    return 0;
  uint64_t mean = SECOND / hz;
  return mean * 3 / 4 + lg_mix(n++, (uint64_t)getpid()) % (mean / 2);
}

void lg_sample_start(void)
{
  if (hz && !lg_series_start(hz))
    hz = 0;
}

void lg_sample_read_settings(void)
{
  long given = lg_env_int("SAMPLE_HZ", DEFAULT_HZ);
  hz = (uint32_t)(given < MOST_HZ ? given : MOST_HZ);
}
