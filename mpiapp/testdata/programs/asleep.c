/* Ranks that sleep, so there may be more of them than a machine has processors. */
#include <mpi.h>
#include <unistd.h>

static void sleep_on(void)
{
  for (;;)
    sleep(1000);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  sleep_on();
  return 0;
}
