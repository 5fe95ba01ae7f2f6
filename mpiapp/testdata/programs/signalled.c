/* Each rank counts the signals that it gets, in the file rank.N of the directory
 * argv[1]. Upon SIGTERM it writes a checkpoint and ends well. It also ends when
 * there is a file named stop. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
  int number;
  const char *name;
} counted[] = {{SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGUSR1, "USR1"},
               {SIGUSR2, "USR2"}, {SIGTERM, "TERM"}, {SIGXCPU, "XCPU"}, {SIGTSTP, "TSTP"}};
enum { COUNTED = sizeof counted / sizeof *counted };
static volatile sig_atomic_t got[NSIG];

static void count(int signal)
{
  got[signal]++;
}

static void write_file(const char *kind, int rank)
{
  char name[64], new[64];
  snprintf(name, sizeof name, "%s.%d", kind, rank);
  snprintf(new, sizeof new, "new-%s", name);
  FILE *f = fopen(new, "w");
  if (!f)
    abort();
  for (int i = 0; i < COUNTED; i++)
    if (got[counted[i].number])
      fprintf(f, "%s %d\n", counted[i].name, (int)got[counted[i].number]);
  fclose(f);
  rename(new, name);
}

int main(int argc, char **argv)
{
  int rank, seen = -1;
  if (argc != 2 || chdir(argv[1]))
    return 2;
  alarm(180);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  for (int i = 0; i < COUNTED; i++)
    sigaction(counted[i].number, &action, NULL);
  if (rank == 0) {
    printf("begins\n");
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  while (!got[SIGTERM] && access("stop", F_OK)) {
    int sum = 0;
    for (int i = 0; i < COUNTED; i++)
      sum += got[counted[i].number];
    if (sum != seen)
      write_file("rank", rank);
    seen = sum;
    usleep(10000);
  }
  write_file("rank", rank);
  if (got[SIGTERM]) {
    usleep(300000); /* it takes a while to write */
    write_file("checkpoint", rank);
    usleep(500000); /* launchers end the other ranks when the first one is gone */
    _exit(0);
  }
  alarm(20); /* the others may be gone */
  MPI_Finalize();
  return 0;
}
