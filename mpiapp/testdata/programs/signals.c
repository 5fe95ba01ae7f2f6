/* Handlers of the program's own, set in different ways before and after
 * MPI_Init: each must run exactly once for each signal, and "default" ends the
 * process by the signal, as it should; "once" by the second one, the handler
 * being for the first alone. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t seen[NSIG], with_info;
static sigjmp_buf back;

static void plain(int sig)
{
  seen[sig]++;
}

static void informed(int sig, siginfo_t *info, void *context)
{
  seen[sig]++;
  with_info = info->si_signo == sig && context;
}

static void jump(int sig)
{
  seen[sig]++;
  siglongjmp(back, 1);
}

static void set(int sig, void (*handler)(int))
{
  struct sigaction a = {.sa_handler = handler};
  sigemptyset(&a.sa_mask);
  sigaction(sig, &a, NULL);
}

static void touch(volatile int *p)
{
  if (!sigsetjmp(back, 1))
    *p = 1;
}

int main(int argc, char **argv)
{
  struct sigaction a = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO}, old;
  int rank;
  signal(SIGTERM, plain);
  set(SIGSEGV, jump);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sigemptyset(&a.sa_mask);
  sigaction(SIGUSR1, &a, NULL);
  signal(SIGUSR2, SIG_IGN);
  raise(SIGTERM);
  raise(SIGUSR1);
  raise(SIGUSR2);
  touch(NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  sigaction(SIGTERM, NULL, &old);
  if (rank == 0)
    printf("term %d, segv %d, usr1 %d with info %d, usr2 %d, handler kept %d\n", (int)seen[SIGTERM], (int)seen[SIGSEGV],
           (int)seen[SIGUSR1], (int)with_info, (int)seen[SIGUSR2], old.sa_handler == plain);
  fflush(stdout);
  signal(SIGTERM, SIG_DFL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "default") == 0)
    raise(SIGTERM);
  if (argc > 1 && strcmp(argv[1], "once") == 0) {
    a.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGTERM, &a, NULL);
    raise(SIGTERM);
    raise(SIGTERM);
  }
  MPI_Finalize();
  return 0;
}
