/* A sum without end, in which a rank, or the job, ends in one of many ways:
 *   howends HOW RANK MILLISECONDS
 * The ranks go on until RANK ends by itself, or the test ends it. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, victim;
static const char *how;
static volatile sig_atomic_t asked;
static volatile double *nowhere;

static int is(const char *name)
{
  return strcmp(how, name) == 0;
}

static double step(double x)
{
  double sum;
  for (int i = 0; i < (rank == victim ? 2000000 : 20000); i++)
    x = x * 0.5 + i;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void on_signal(int sig)
{
  (void)sig;
  asked = 1;
}

static sigjmp_buf before_fault;

/* A handler that says where the program is and aborts, as many libraries install one. */
static void on_fault(int sig)
{
  static const char text[] = "caught a fault\n";
  (void)!write(2, text, sizeof text - 1);
  if (is("segv-left"))
    siglongjmp(before_fault, sig);
  abort();
}

static void exit_again(void)
{
  exit(4);
}

static void *ends_in_thread(void *unused)
{
  (void)unused;
  if (is("thread-segv"))
    *nowhere = 1;
  exit(3);
}

static void fills_file(void)
{
  static char block[1 << 20];
  struct rlimit few = {1 << 20, 1 << 20};
  int fd = open("howends.out", O_CREAT | O_WRONLY | O_TRUNC, 0600);
  setrlimit(RLIMIT_FSIZE, &few);
  for (;;)
    if (write(fd, block, sizeof block) < 0)
      exit(5);
}

static void uses_processor(void)
{
  struct rlimit second = {1, 2};
  setrlimit(RLIMIT_CPU, &second);
  for (volatile double x = 1;; x = x * 0.5 + 1)
    ;
}

static void ends(void)
{
  pthread_t t;
  volatile int zero = 0;
  if (is("exit") || is("exit-handler"))
    exit(3);
  if (is("exit0"))
    exit(0);
  if (is("_exit"))
    _exit(3);
  if (is("quick_exit"))
    quick_exit(3);
  if (is("abort"))
    abort();
  if (is("assert"))
    assert(zero);
  if (strncmp(how, "segv-", 5) == 0)
    signal(SIGSEGV, on_fault);
  if (strncmp(how, "segv", 4) == 0 && sigsetjmp(before_fault, 1) == 0)
    *nowhere = 1;
  if (is("segv-left")) {
    step(1); /* the program goes on after the fault */
    abort();
  }
  if (is("fpe"))
    raise(SIGFPE);
  if (is("bus"))
    raise(SIGBUS);
  if (is("mpiabort"))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (is("error"))
    MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  if (is("term-self"))
    raise(SIGTERM);
  if (is("file"))
    fills_file();
  if (is("cpu"))
    uses_processor();
  if (is("exec"))
    execl("/bin/true", "true", NULL);
  if (is("alarm"))
    alarm(1), pause();
  if (strncmp(how, "thread", 6) == 0) {
    pthread_create(&t, NULL, ends_in_thread, NULL);
    pthread_join(t, NULL);
  }
}

/* all_end: a check fails in all ranks at once. */
static void all_end(void)
{
  if (is("self-mpiabort"))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (is("self-abort"))
    abort();
  exit(1);
}

/* checkpoint writes what a rank has, and ends well. */
static void checkpoint(double x)
{
  char name[64];
  snprintf(name, sizeof name, "checkpoint.%d", rank);
  FILE *f = fopen(name, "w");
  fprintf(f, "%g\n", x);
  fclose(f);
  if (is("checkpoint-exit"))
    exit(0);
  if (is("checkpoint-fail"))
    exit(1);
  _exit(0);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  how = argv[1];
  victim = atoi(argv[2]);
  const char *launched = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (is("before-init") && launched && atoi(launched) == victim)
    return 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (is("exit-handler") && rank == victim)
    atexit(exit_again);
  if (strncmp(how, "checkpoint", 10) == 0)
    signal(SIGTERM, on_signal), signal(SIGUSR1, on_signal);
  double x = 1, after = atof(argv[3]) / 1000, begin = MPI_Wtime();
  for (int n = 0; n < 50 || !is("after-finalize") && !is("main-ends"); n++) {
    x = step(x);
    if (asked)
      checkpoint(x);
    int late = MPI_Wtime() - begin > after;
    if (is("return") && rank == victim && late)
      return 3;
    if (strncmp(how, "self", 4) == 0 && (MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD), late))
      all_end();
    if (rank == victim && late)
      ends();
  }
  MPI_Finalize();
  if (is("main-ends"))
    pthread_exit(NULL);
  return rank == victim ? 3 : 0;
}
