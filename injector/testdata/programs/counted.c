/* A program whose functions are entered known numbers of times, from several
 * threads, from a library that is opened late, and around forks. It says where
 * it is, so that a test sees how far it got.
 *   counted [THREADS [ROUNDS [LIBRARY]]]  */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int rounds = 100;
volatile long sum;

__attribute__((noinline)) long leaf(long x)
{
  return x * 3 + sum % 7;
}

__attribute__((noinline)) long work(long x)
{
  __atomic_fetch_add(&sum, leaf(x), __ATOMIC_RELAXED);
  return x;
}

__attribute__((noinline)) void once(void)
{
  puts("once");
}

__attribute__((noinline)) void never(void)
{
  puts("never");
}

static void *thread(void *arg)
{
  for (int i = 0; i < rounds; i++)
    work(i);
  return arg;
}

static void children(void)
{
  pid_t pid = fork();
  if (pid == 0) {
    work(1); /* in a copy: does not count */
    _exit(7);
  }
  int status, second;
  waitpid(pid, &status, 0);
  char *args[] = {"/bin/true", NULL};
  if (posix_spawn(&pid, args[0], NULL, NULL, args, environ) != 0)
    second = -1;
  else
    waitpid(pid, &second, 0);
  printf("children %d %d\n", WEXITSTATUS(status), second);
}

static void late(const char *path)
{
  void *lib = dlopen(path, RTLD_NOW);
  if (!lib) {
    puts(dlerror());
    exit(9);
  }
  int (*f)(int) = (int (*)(int))dlsym(lib, "late_function");
  int n = 0;
  for (int i = 0; i < 5; i++)
    n += f(i);
  printf("late %d\n", n);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t t[16];
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 2)
    rounds = atoi(argv[2]);
  once();
  for (int i = 0; i < n; i++)
    pthread_create(&t[i], NULL, thread, NULL);
  thread(NULL);
  for (int i = 0; i < n; i++)
    pthread_join(t[i], NULL);
  children();
  if (argc > 3)
    late(argv[3]);
  puts("end");
  return sum != 0 ? 0 : 1;
}
