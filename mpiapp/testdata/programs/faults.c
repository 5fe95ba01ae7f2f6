/* A relaxation on a ring of ranks whose program deals with faults and alarms itself, overflows its stack, or ends itself from a callback:
 *   faults HOW RANK
 * With RANK -1 nothing goes wrong: each does what it does in its course, and ends well. */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CELLS 4096
#define PAGE 4096
#define STEPS 200
#define LATE 120 /* the step in which it goes wrong */

static int rank, size, victim;
static const char *how;
static double *field; /* CELLS, on pages of its own */
static volatile sig_atomic_t dirty;

static int is(const char *name) { return strncmp(how, name, strlen(name)) == 0; }
static int wrong(int step) { return rank == victim && step == LATE; }

/* ---- an incremental checkpoint: what a step writes to is learnt by faults ---- */

static void on_write(int sig, siginfo_t *info, void *context)
{
  (void)sig, (void)context;
  char *page = (char *)((size_t)info->si_addr & ~(size_t)(PAGE - 1));
  if (page < (char *)field || page >= (char *)(field + CELLS))
    abort();
  mprotect(page, PAGE, PROT_READ | PROT_WRITE);
  dirty++;
}

static void begin_checkpoint(void) { mprotect(field, CELLS * sizeof *field, PROT_READ); }

/* ---- an address is probed before it is used, as libraries do that check the pointers which they are given ---- */

static sigjmp_buf probing;

static void on_probe(int sig) { siglongjmp(probing, sig); }

static int can_read(const volatile double *p)
{
  struct sigaction a = {.sa_handler = on_probe}, before;
  int ok = 0;
  sigaction(SIGSEGV, &a, &before);
  if (sigsetjmp(probing, 1) == 0)
    ok = (*p, 1);
  sigaction(SIGSEGV, &before, NULL);
  return ok;
}

static void __attribute__((noinline)) iterate_for_ever(void)
{
  for (volatile double x = 1; x > 0; x = x * 0.5 + 1)
    ;
}

/* ---- the watchdog of a test ---- */

static void too_long(int sig)
{
  static const char text[] = "the test takes too long\n";
  (void)sig;
  (void)!write(2, text, sizeof text - 1);
  if (is("watchdog-abort"))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (is("watchdog-usr2"))
    exit(3);
  _exit(1);
}

/* ---- a sum that checks what it adds up ---- */

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *n; i++) {
    double *a = in, *b = inout;
    if (isnan(a[i]) || isnan(b[i])) {
      fprintf(stderr, "not a number\n");
      exit(7);
    }
    b[i] += a[i];
  }
}

/* ---- a stack that is too small ---- */

static double __attribute__((noinline)) descend(int depth)
{
  volatile double room[64];
  room[0] = depth;
  return depth > 0 ? descend(depth - 1) + room[0] : room[0];
}

static double __attribute__((noinline)) smooth(size_t n)
{
  volatile double work[n];
  work[0] = work[n - 1] = 1;
  return work[n / 2 > 0 ? 0 : n - 1];
}

static double goes_deep(int step)
{
  int deep = wrong(step);
  return is("overflow-array") ? smooth(deep ? 16 << 20 : 4 << 10) : descend(deep ? 1 << 30 : 100);
}

static void *goes_deep_beside(void *step)
{
  goes_deep(*(int *)step);
  return NULL;
}

/* goes_deep_in_thread does it in one that never calls MPI. */
static void goes_deep_in_thread(int step)
{
  pthread_t t;
  pthread_create(&t, NULL, goes_deep_beside, &step);
  pthread_join(t, NULL);
}

static void on_crash(int sig)
{
  static const char text[] = "crashed\n";
  (void)!write(2, text, sizeof text - 1);
  signal(sig, SIG_DFL);
  raise(sig);
}

/* ---- */

static double step(int n)
{
  MPI_Status status;
  double ghost, sum;
  if (is("checkpoint"))
    begin_checkpoint();
  MPI_Sendrecv(&field[CELLS - 1], 1, MPI_DOUBLE, (rank + 1) % size, 1, &ghost, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
               &status);
  field[0] = ghost;
  for (int i = 1; i < CELLS; i++)
    field[i] = 0.5 * (field[i] + field[i - 1]);
  if (is("probe") && (n % 50 == 0 || wrong(n)) && can_read((double *)8))
    abort();
  if (is("overflow-worker") && n % 40 == 0)
    goes_deep_in_thread(n);
  else if (is("overflow") && !is("overflow-worker"))
    field[1] += goes_deep(n);
  if (wrong(n) && (is("checkpoint") || is("probe") || is("watchdog")))
    iterate_for_ever();
  sum = field[1];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void check_sum(int n)
{
  MPI_Op op;
  double sum = wrong(n) ? NAN : 1;
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
}

static void nothing(int sig) { (void)sig; }

static void *work(void *unused)
{
  for (int n = 0; n < STEPS; n++) {
    if (is("callback"))
      check_sum(n);
    if (is("error") && n == LATE) {
      signal(SIGUSR1, nothing);
      raise(SIGUSR1); /* of which MPI's error knows nothing */
      if (wrong(n))
        MPI_Send(&n, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD);
    }
    step(n);
  }
  return unused;
}

int main(int argc, char **argv)
{
  struct sigaction writes = {.sa_sigaction = on_write, .sa_flags = SA_SIGINFO};
  int level;
  pthread_t t;
  if (argc != 3)
    return 2;
  how = argv[1];
  victim = atoi(argv[2]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  field = mmap(NULL, CELLS * sizeof *field, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (is("checkpoint"))
    sigaction(SIGSEGV, &writes, NULL);
  if (is("overflow-caught"))
    signal(SIGSEGV, on_crash);
  if (is("watchdog")) {
    signal(SIGALRM, too_long);
    if (rank != victim && (!is("watchdog-one") || rank == (victim + 1) % size)) /* the victim never comes to wait */
      alarm(victim < 0 ? 100 : 8); /* a crowded machine takes seconds to come to the fault */
  }
  if (is("overflow-thread")) {
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
  } else {
    work(NULL);
  }
  alarm(0);
  if (rank == 0)
    printf("%s: end\n", how);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
