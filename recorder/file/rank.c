#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/hash.h"
#include "base/locks.h"
#include "base/procfile.h"
#include "base/recording.h"
#include "base/settings.h"
#include "base/stat.h"
#include "file/node.h"
#include "file/rank.h"
#include "file/record.h"

struct lg_rank *lg_rank;
bool lg_mpi_ready;
static bool finalized;
static struct {
  const struct lg_thread *thread; /* that called MPI_Finalize with sessions open; NULL: there is none */
  uint64_t calls;                 /* of it, by then */
} behind;
static uint32_t parent;
static uint32_t pid; /* not as the file has it, which somebody may have cut short */

/* What the launcher says of the rank; MPI_Init will say it for certain. */
static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "ALPS_APP_PE",
                                         "MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK", NULL};
static const char *const slurm_rank[] = {"SLURM_PROCID", NULL};

/* slurm_step is the number of the step whose task srun started; NULL: none. The script of sbatch and a shell of salloc have
 * SLURM_PROCID, too, but no step, or one of those whose numbers Slurm keeps for itself. */
static const char *slurm_step(void)
{
  const char *step = getenv("SLURM_STEP_ID");
  return step && *step && strtoull(step, NULL, 10) < 4294967000 ? step : NULL;
}

static int launched_rank(void)
{
  int rank = lg_from_launcher(rank_names);
  return rank < 0 && slurm_step() ? lg_from_launcher(slurm_rank) : rank;
}

static void note_off(const char *why)
{
  lg_lock_file();
  lg_note(why);
  lg_unlock_file();
  lg_rank->off = 1;
}

static uint64_t pid_space(void)
{
  struct stat st;
  return lg_stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* processors counts those that the process may run on. */
static uint32_t processors(void)
{
  unsigned long set[128] = {0}; /* more than any kernel has */
  uint32_t n = 0;
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
  for (long i = 0; i < bytes / (long)sizeof *set; i++)
    n += (uint32_t)__builtin_popcountl(set[i]);
  return n;
}

static uint64_t hash_of_name(const char *name, size_t size) { return lg_mix_bytes(size, name, size); }

static const char *first_set(const char *const *names)
{
  for (; *names; names++) {
    const char *v = getenv(*names);
    if (v && *v)
      return v;
  }
  return NULL;
}

/* started_by_hydra tells whether MPICH's launcher did. It names nothing: names are those of a job that it was started in. */
static bool started_by_hydra(void)
{
  return getenv("MPI_LOCALNRANKS") && getenv("PMI_RANK") && !getenv("OMPI_COMM_WORLD_RANK");
}

/* named_world is a hash of what the launcher calls the MPI job; 0: it gives it no name. */
static uint64_t named_world(void)
{
  static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "ALPS_APP_ID",
                                      "FLUX_JOB_ID", NULL};
  const char *name = started_by_hydra() ? NULL : first_set(names), *job = getenv("SLURM_JOB_ID"), *step = slurm_step();
  char text[64];
  if (name)
    return hash_of_name(name, strlen(name));
  if (started_by_hydra() || !job || !step)
    return 0;
  int n = snprintf(text, sizeof text, "%s.%s", job, step);
  return n < (int)sizeof text ? hash_of_name(text, (size_t)n) : 0;
}

/* starter is a hash of the process that made the socket over which MPI speaks with its launcher, however many scripts are between
 * both; of the address that this process listens at, where it does; 0: there is neither. */
static uint64_t starter(void)
{
  const char *fd = getenv("PMI_FD"), *port = getenv("PMI_PORT");
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  uint64_t node = lg_mix(hash_of_name(host, strlen(host)), pid_space());
  if (fd && getsockopt(atoi(fd), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
    return lg_mix(lg_mix(node, (uint64_t)peer.pid), lg_process_began(peer.pid)) | 1;
  return port && *port ? lg_mix(node, hash_of_name(port, strlen(port))) | 1 : 0;
}

/* set_job notes which MPI job of a recording the process belongs to, and which one spawned it, as Open MPI's launcher says: the
 * port at which the root of MPI_Comm_spawn waits is WORLD.RANK:NUMBER. */
static void set_job(struct lg_rank *r)
{
  const char *port = getenv("OMPI_PARENT_PORT"), *end = port ? strrchr(port, ':') : NULL;
  const char *dot = end ? memrchr(port, '.', (size_t)(end - port)) : NULL;
  r->parent_rank = -1;
  r->world = named_world();
  r->starter = r->world ? 0 : starter();
  if (dot) {
    r->parent_world = hash_of_name(port, (size_t)(dot - port));
    r->parent_rank = atoi(dot + 1);
    r->spawned = 1;
  }
}

bool lg_rank_open(uint32_t family)
{
  struct lg_rank *r = lg_rec_begin(LG_REC_RANK, 0, offsetof(struct lg_rank, rank) - sizeof(struct lg_rec), sizeof *r);
  if (!r)
    return false;
  r->pid = pid = (uint32_t)getpid();
  parent = (uint32_t)getppid();
  r->slot = lg_slot();
  r->start_ns = lg_now();
  r->family = family;
  ssize_t n = readlink("/proc/self/exe", r->exe, sizeof r->exe);
  r->exe_len = n < 0 ? 0 : (uint32_t)n;
  r->rank = launched_rank();
  r->size = lg_from_launcher(lg_size_names);
  r->status = LG_STARTING;
  r->detail = -1;
  r->thread_level = -1;
  r->pid_space = pid_space();
  r->processors = processors();
  set_job(r);
  r->heartbeat_ns = lg_now();
  lg_rec_commit(r);
  lg_rank = r;
  lg_when_off = note_off;
  return true;
}

bool lg_mpi_usable(void)
{
  return lg_mpi_ready && !finalized;
}

void lg_finalized(const struct lg_thread *goes_on)
{
  finalized = true;
  lg_rank->status = LG_FINALIZED;
  behind.calls = goes_on ? goes_on->calls : 0;
  __atomic_store_n(&behind.thread, goes_on, __ATOMIC_RELEASE);
}

void lg_look_behind_finalize(void)
{
  const struct lg_thread *t = __atomic_load_n(&behind.thread, __ATOMIC_ACQUIRE);
  if (!t || t->calls == behind.calls)
    return;
  behind.thread = NULL;
  lg_rank->status = LG_RUNNING;
}

bool lg_left_world(void)
{
  return finalized;
}

bool lg_in_rank(void)
{
  return pid && (uint32_t)syscall(SYS_getpid) == pid;
}

bool lg_is_rank(void)
{
  return lg_rank && !lg_off && lg_in_rank();
}

/* take_end tells whether this end is the first, or comes behind a signal that the program survived. */
static bool take_end(uint32_t end)
{
  uint32_t none = LG_ALIVE;
  return __atomic_compare_exchange_n(&lg_rank->end, &none, end, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) ||
         none == LG_SIGNALLED;
}

void lg_said_end(uint32_t end, int detail, uint32_t ender)
{
  if (!lg_is_rank() || !take_end(end))
    return;
  lg_rank->end = end;
  if (finalized && end == LG_EXITED)
    lg_rank->status = LG_FINALIZED; /* it left a session open, which is no failure */
  lg_rank->detail = detail;
  lg_rank->ender = ender;
  lg_rank->orphaned = (uint32_t)getppid() != parent;
  lg_rank->end_time_ns = lg_now();
}

/* take_back tells whether the rank was said to have ended in that way, and is said to live from now on. */
static bool take_back(uint32_t end)
{
  if (!__atomic_compare_exchange_n(&lg_rank->end, &end, LG_ALIVE, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return false;
  lg_rank->end_time_ns = 0;
  lg_rank->detail = -1;
  lg_rank->ender = LG_ENDER_UNKNOWN;
  lg_rank->orphaned = 0;
  return true;
}

void lg_stays(void)
{
  if (lg_is_rank() && lg_rank->ender == LG_ENDER_EXEC)
    take_back(LG_EXITED);
}

/* The thread that called exit, and how many calls of MPI it had made by then. */
static struct {
  const struct lg_thread *thread; /* NULL: none that calls MPI */
  uint64_t calls;
} exiting;

void lg_exits(const struct lg_thread *t)
{
  exiting.calls = t ? t->calls : 0;
  __atomic_store_n(&exiting.thread, t, __ATOMIC_RELEASE);
}

void lg_look_behind_exit(void)
{
  const struct lg_thread *t = __atomic_load_n(&exiting.thread, __ATOMIC_ACQUIRE);
  if (t && t->in_mpi && t->calls != exiting.calls)
    take_back(LG_EXITED);
}

uint64_t lg_said_signal(const struct lg_signal *s, uint32_t ender)
{
  if (!lg_is_rank())
    return 0;
  /* A handler, such as Open MPI's, raises the signal again when it has said where it came. */
  if (s->sender != LG_SENDER_SELF || lg_rank->fatal.signal != s->signal)
    lg_rank->fatal = *s;
  lg_said_end(LG_SIGNALLED, (int)s->signal, ender);
  return lg_rank->end == LG_SIGNALLED ? lg_rank->end_time_ns : 0;
}

void lg_survived(uint64_t end_time_ns)
{
  if (!lg_is_rank() || lg_rank->end_time_ns != end_time_ns || !take_back(LG_SIGNALLED))
    return;
  lg_rank->fatal = (struct lg_signal){0};
  lg_rank->bad = 0;
}

void lg_said_sender(const char name[LG_MAX_COMMAND])
{
  if (lg_is_rank() && !lg_rank->ended_by[0])
    memcpy(lg_rank->ended_by, name, LG_MAX_COMMAND);
}

void lg_said_asked(const struct lg_signal *s)
{
  if (!lg_is_rank())
    return;
  uint32_t before = lg_rank->asked.signal;
  if (before == 0 || before == SIGUSR1 || before == SIGUSR2) /* those may mean anything */
    lg_rank->asked = *s;
}
