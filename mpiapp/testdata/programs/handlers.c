/* Handlers that depend on the stack they run on, on whose they are, and on being
 * called for the program's signals alone. */
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALTERNATE 8192 /* the SIGSTKSZ of old */

static char *alternate;
static volatile sig_atomic_t seen[NSIG], on_alternate;
static sigjmp_buf back;

static void plain(int sig)
{
  seen[sig]++;
}

/* deep needs more than the alternate stack, which it did not ask for. */
static void deep(int sig)
{
  volatile char room[4 * ALTERNATE];
  memset((char *)room, sig, sizeof room);
  seen[sig] += room[sig] == sig;
}

static void recover(int sig)
{
  char here;
  seen[sig]++;
  on_alternate = &here >= alternate && &here < alternate + ALTERNATE;
  siglongjmp(back, 1);
}

static int __attribute__((noinline)) overflow(int n)
{
  volatile char room[4096];
  room[0] = (char)n;
  return overflow(n + 1) + room[0];
}

static void set(int sig, void (*handler)(int), int flags)
{
  struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&a.sa_mask);
  sigaction(sig, &a, NULL);
}

/* child resets a handler, as shells and spawners do before they execute. */
static void child(void)
{
  if (vfork() == 0) {
    signal(SIGUSR1, SIG_DFL);
    set(SIGHUP, SIG_IGN, 0);
    _exit(0);
  }
  wait(NULL);
}

int main(int argc, char **argv)
{
  struct sigaction old;
  int rank, own = SIGRTMIN + 11;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  alternate = malloc(ALTERNATE);
  sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = ALTERNATE}, NULL);
  set(SIGUSR1, plain, 0);
  set(SIGHUP, plain, 0);
  set(SIGUSR2, deep, 0);
  set(SIGSEGV, recover, SA_ONSTACK);
  set(own, plain, 0);
  child();
  raise(SIGUSR1);
  raise(SIGHUP);
  raise(SIGUSR2);
  raise(own);
  for (volatile int i = 0; i < 2; i++)
    if (!sigsetjmp(back, 1))
      overflow(0);
  int first = sigset(SIGTERM, plain) == SIG_DFL;
  sigaction(SIGTERM, NULL, &old);
  raise(SIGTERM);
  sigset(SIGTERM, SIG_HOLD);
  raise(SIGTERM);
  int held = sigset(SIGTERM, plain) == SIG_HOLD;
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) { /* so long rank 0 polls in the second barrier, and the recorder takes its stack */
    if (rank == 1)
      sleep((unsigned)atoi(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("usr1 %d, hup %d, deep %d, own %d, overflow %d on the alternate stack %d, sigset %d %d %d, term %d\n",
           (int)seen[SIGUSR1], (int)seen[SIGHUP], (int)seen[SIGUSR2], (int)seen[own], (int)seen[SIGSEGV],
           (int)on_alternate, first, old.sa_handler == plain, held, (int)seen[SIGTERM]);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
