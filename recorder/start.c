/* Start-up, locks, settings, and turning off. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "core.h"
#include "export.h"
#include "movement/moves.h"
#include "stream.h"
#include "usage/usage.h"

bool lg_off, lg_started, lg_shared;
struct lg_rank *lg_rank;

/* ---- settings ---- */

const char *lg_env(const char *name)
{
  char full[64];
  snprintf(full, sizeof full, "LAGGARD_%s", name);
  const char *v = getenv(full);
  return v && *v ? v : NULL;
}

long lg_env_int(const char *name, long otherwise)
{
  const char *v = lg_env(name);
  char *end;
  if (!v)
    return otherwise;
  long n = strtol(v, &end, 10);
  if (*end || n < 0) {
    fprintf(stderr, "laggard: LAGGARD_%s=%s is not a number; %ld is used\n", name, v, otherwise);
    return otherwise;
  }
  return n;
}

bool lg_records(const char *what)
{
  size_t n = strlen(what);
  for (const char *p = lg_env("RECORD"); p; p = *p ? p + 1 : NULL) {
    size_t len = strcspn(p, ",");
    if (len == n && memcmp(p, what, n) == 0)
      return true;
    p += len;
  }
  return false;
}

LG_EXPORT bool laggard_records(const char *what)
{
  return lg_records(what);
}

LG_EXPORT bool laggard_recording(void)
{
  return lg_started && !lg_off;
}

uint64_t lg_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- locks ---- */

static int tables_lock, file_lock;
static __thread int file_depth __attribute__((tls_model("initial-exec")));

static void acquire(int *lock)
{
  for (int i = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); i++)
    if (i > 100)
      sched_yield(); /* the holder may not be running */
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
      if (i > 2000)
        return false;
      if (i > 100)
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

/* ---- turning off ---- */

/* lg_turn_off stops the recording, never the program: one line on stderr, a
 * note in the file, and from now on calls are only forwarded. */
void lg_turn_off(const char *why, ...)
{
  static int said;
  char text[512];
  va_list args;
  if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    return;
  va_start(args, why);
  vsnprintf(text, sizeof text, why, args);
  va_end(args);
  fprintf(stderr, "laggard: not recording any more in process %d: %s\n", (int)getpid(), text);
  if (lg_rank) {
    lg_lock_file();
    lg_note(text);
    lg_unlock_file();
    lg_rank->off = 1;
  }
  __atomic_store_n(&lg_off, true, __ATOMIC_RELEASE);
}

/* A forked child shares the mapped file but is no rank. */
static void in_child(void)
{
  lg_off = true;
}

/* ---- start ---- */

/* What the launcher says of the rank; MPI_Init will say it for certain. */
int lg_from_launcher(const char *const *names)
{
  for (; *names; names++) {
    const char *v = getenv(*names);
    if (v && *v)
      return atoi(v);
  }
  return -1;
}

static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID", NULL};
const char *const lg_size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};

static bool rank_record(void)
{
  struct lg_rank *r = lg_rec_begin(LG_REC_RANK, 0, offsetof(struct lg_rank, rank) - sizeof(struct lg_rec), sizeof *r);
  if (!r)
    return false;
  r->pid = (uint32_t)getpid();
  r->slot = lg_slot();
  r->start_ns = lg_now();
  r->family = lg_fam.id;
  ssize_t n = readlink("/proc/self/exe", r->exe, sizeof r->exe);
  r->exe_len = n < 0 ? 0 : (uint32_t)n;
  r->rank = lg_from_launcher(rank_names);
  r->size = lg_from_launcher(lg_size_names);
  r->status = LG_STARTING;
  r->detail = -1;
  r->thread_level = -1;
  r->heartbeat_ns = lg_now();
  lg_rec_commit(r);
  lg_rank = r;
  return true;
}

static void start_once(void)
{
  if (!lg_env("DIR") || !lg_family_detect()) {
    lg_off = true;
    return;
  }
  lg_lock_file();
  bool ok = lg_file_open() && rank_record();
  lg_unlock_file();
  if (!ok) {
    lg_turn_off("no run file");
    return;
  }
  pthread_atfork(NULL, NULL, in_child);
  lg_site_start();
  lg_values_start();
  lg_volume_start();
  lg_stream_start();
  lg_moves_start();
  lg_usage_start();
  lg_started = true;
  lg_ends_start();
  lg_watch_start();
}

bool lg_start(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_once);
  return lg_started && !lg_off;
}

void lg_start_done(void)
{
  int level = -1;
  long (*query)(int *) = (long (*)(int *))lg_find_symbol("PMPI_Query_thread");
  if (query && query(&level) == 0) {
    lg_rank->thread_level = level;
    if (level >= 3)
      lg_shared = true; /* from the next call on */
  }
  lg_comm_start();
  lg_rank->status = LG_RUNNING;
  lg_usage_ready();
}
