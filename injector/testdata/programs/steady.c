/* A program that never ends by itself: it works, handles SIGUSR1, and says so. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
volatile long beats;

static void handler(int sig)
{
  (void)sig;
  signals++;
  write(1, "signal\n", 7);
}

__attribute__((noinline)) void beat(void)
{
  beats++;
  write(1, "beat\n", 5);
}

int main(void)
{
  struct timespec pause = {0, 2000000};
  signal(SIGUSR1, handler);
  for (;;) {
    beat();
    nanosleep(&pause, NULL);
  }
}
