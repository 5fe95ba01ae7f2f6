/* What programs do to the process that they and the recorder share: `tortures list` names them,
 * `tortures NAME` does one. Each rank prints what came of it, and ends as it would alone. */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

static int rank;
static volatile sig_atomic_t hits;
static sigjmp_buf back;
static char alternate[64 << 10];

/* meet is what the program is for: memory, copies and messages. */
static int meet(void)
{
  int sum = 1;
  char *a = malloc(3000), *b = malloc(3000);
  memset(a, 1, 3000);
  memcpy(b, a, 3000);
  sum += b[2999];
  free(a);
  free(b);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void count(int sig) { (void)sig, hits++; }

static void handle(int sig, void (*handler)(int), int flags)
{
  struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&a.sa_mask);
  sigaction(sig, &a, NULL);
}

static void out(int sig) { (void)sig, hits++, siglongjmp(back, 1); }

static void on_alternate(size_t size)
{
  sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = size}, NULL);
}

static volatile char *const nowhere = (char *)8;

/* ---- handlers and stacks ---- */

static int recover(size_t stack, int times)
{
  on_alternate(stack);
  handle(SIGSEGV, out, SA_ONSTACK);
  for (volatile int i = 0; i < times; i++) {
    if (!sigsetjmp(back, 1))
      *nowhere = 1;
    meet();
  }
  return hits;
}

static int __attribute__((noinline)) deeper(int n)
{
  volatile char room[4096];
  room[0] = (char)n;
  return deeper(n + 1) + room[0];
}

static volatile char *handled_at;

static void notes_place(int sig)
{
  char here;
  handled_at = &here;
  out(sig);
}

/* at_home tells whether a handler ran on the stack of the function that faulted, or raised the signal. */
static int at_home(int flags, int raised)
{
  char here;
  handle(SIGSEGV, notes_place, flags);
  if (sigsetjmp(back, 1))
    return handled_at < &here && handled_at > &here - (32 << 10);
  if (raised)
    raise(SIGSEGV);
  *nowhere = 1;
  return -1;
}

/* A program without an alternate stack sees none, and its handlers run on the thread's own, whether or not they ask for another. */
static int handles_at_home(void)
{
  stack_t seen = {.ss_flags = 77};
  int n = sigaltstack(NULL, &seen);
  n += 10 * (seen.ss_flags == SS_DISABLE && seen.ss_sp == NULL && seen.ss_size == 0);
  for (volatile int i = 0; i < 8; i++) {
    n += at_home(i & 1 ? SA_ONSTACK : 0, i & 2);
    meet();
  }
  return n;
}

/* A runtime asks before it sets a stack of its own, uses that, and puts back what was there. */
static int sets_stack_and_back(void)
{
  stack_t before, within;
  sigaltstack(NULL, &before);
  int n = before.ss_flags & SS_DISABLE ? 1 : 0;
  handle(SIGSEGV, notes_place, SA_ONSTACK); /* and the stack follows */
  on_alternate(16384);
  for (volatile int i = 0; i < 3; i++) {
    if (!sigsetjmp(back, 1))
      deeper(0);
    n += 10 * (handled_at >= alternate && handled_at < alternate + 16384);
    meet();
  }
  sigaltstack(NULL, &within);
  n += 100 * (within.ss_sp == alternate && within.ss_size == 16384);
  sigaltstack(&before, NULL);
  sigaltstack(NULL, &within);
  n += 1000 * (within.ss_flags == SS_DISABLE);
  return n + at_home(0, 0) + at_home(SA_ONSTACK, 1);
}

static int recovers(void) { return recover(sizeof alternate, 20); }
static int recovers_small(void) { return recover(8192, 20); }

static int overflows(void)
{
  on_alternate(16384);
  handle(SIGSEGV, out, SA_ONSTACK);
  for (volatile int i = 0; i < 5; i++) {
    if (!sigsetjmp(back, 1))
      deeper(0);
    meet();
  }
  return hits;
}

static char *barrier;

/* A collector's write barrier: the page is opened where the program writes to it. */
static void opened(int sig, siginfo_t *info, void *context)
{
  (void)sig, (void)context;
  hits++;
  mprotect((char *)((size_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static int write_barrier(void)
{
  struct sigaction a = {.sa_sigaction = opened, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &a, NULL);
  barrier = mmap(NULL, 64 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 64; i++) {
    barrier[i * 4096] = 1;
    if (i % 8 == 0)
      meet();
  }
  memcpy(barrier, barrier + 4096, 4096);
  return hits;
}

static int bus_error(void)
{
  FILE *f = tmpfile();
  char *map;
  handle(SIGBUS, out, 0);
  if (ftruncate(fileno(f), 4096))
    return -1;
  map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
  if (ftruncate(fileno(f), 0))
    return -1;
  if (!sigsetjmp(back, 1))
    map[0] = 1;
  meet();
  return hits;
}

static int divides(void)
{
  handle(SIGFPE, out, 0);
  feenableexcept(FE_DIVBYZERO);
  volatile double zero = 0, x = 0;
  if (!sigsetjmp(back, 1))
    x = 1 / zero;
  fedisableexcept(FE_ALL_EXCEPT);
  meet();
  return hits + (x != 0);
}

static int timer(int which, int sig, int flags)
{
  handle(sig, count, flags);
  setitimer(which, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
  for (int i = 0; i < 3000; i++)
    meet();
  while (hits < 50)
    free(malloc(100));
  setitimer(which, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  return 1;
}

static int profiled(void) { return timer(ITIMER_PROF, SIGPROF, SA_RESTART); }
static int profiled_on_stack(void)
{
  on_alternate(sizeof alternate);
  return timer(ITIMER_PROF, SIGPROF, SA_RESTART | SA_ONSTACK);
}
static int alarmed(void) { return timer(ITIMER_REAL, SIGALRM, SA_RESTART); }

static int own_queue(int sig)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, sig);
  handle(sig, count, 0);
  for (int i = 0; i < 2000; i++) {
    kill(getpid(), sig);
    if (i % 100 == 0)
      meet();
  }
  return hits > 0;
}

static int storm(void) { return own_queue(SIGUSR1); }
static int storm_of_the_recorders(void) { return own_queue(SIGRTMIN + 11); }

static int every_signal(void)
{
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
    handle(s, count, 0);
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
    raise(s);
  meet();
  return hits;
}

static int blocks_all(void)
{
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (int i = 0; i < 200; i++)
    meet();
  pthread_sigmask(SIG_SETMASK, NULL, &all);
  return sigismember(&all, SIGUSR1) + sigismember(&all, SIGRTMIN + 11);
}

static int waits_for_signal(void)
{
  sigset_t set;
  int got = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR2);
  sigwait(&set, &got);
  meet();
  return got == SIGUSR2;
}

static int reads_signals(void)
{
  sigset_t set;
  struct signalfd_siginfo info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, 0);
  raise(SIGUSR1);
  meet();
  return read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1;
}

static int interrupted(void)
{
  handle(SIGALRM, count, 0);
  ualarm(200000, 0);
  int r = nanosleep(&(struct timespec){3, 0}, NULL), e = errno;
  meet();
  return r == -1 && e == EINTR;
}

static int interrupted_by_name(void) /* of a handler that is set later */
{
  siginterrupt(SIGALRM, 1);
  signal(SIGALRM, count);
  int ends[2];
  char c;
  if (pipe(ends))
    return -1;
  ualarm(200000, 0);
  ssize_t r = read(ends[0], &c, 1);
  int e = errno;
  meet();
  return r == -1 && e == EINTR;
}

static int rests(void) /* until the recorder looks at it */
{
  int r = nanosleep(&(struct timespec){2, 0}, NULL);
  struct pollfd none = {.fd = -1};
  r += poll(&none, 1, 1500);
  meet();
  return r;
}

/* ---- calls in which the recorder looks at the thread ---- */

static int writes_slowly(void) /* to a child that does not read at once */
{
  static char data[1 << 20];
  int ends[2];
  if (pipe(ends))
    return -1;
  pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    sleep(3);
    while (read(ends[0], data, sizeof data) > 0)
      ;
    _exit(0);
  }
  close(ends[0]);
  ssize_t done = write(ends[1], data, sizeof data);
  close(ends[1]);
  waitpid(child, NULL, 0);
  meet();
  return done == sizeof data;
}

static int rests_after_stop(void) /* the kernel then continues the sleep by another system call */
{
  pid_t child = fork();
  if (child == 0) {
    usleep(500000);
    kill(getppid(), SIGSTOP);
    usleep(500000);
    kill(getppid(), SIGCONT);
    _exit(0);
  }
  int r = nanosleep(&(struct timespec){5, 0}, NULL);
  waitpid(child, NULL, 0);
  meet();
  return r;
}

static int rests_without_descriptors(void)
{
  struct rlimit before;
  int used[64], n = 0;
  sleep(2); /* until the recorder has looked once */
  getrlimit(RLIMIT_NOFILE, &before);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, before.rlim_max});
  while (n < 64 && (used[n] = open("/dev/null", O_RDONLY)) >= 0)
    n++;
  int r = nanosleep(&(struct timespec){4, 0}, NULL);
  while (n > 0)
    close(used[--n]);
  setrlimit(RLIMIT_NOFILE, &before);
  meet();
  return r;
}

static int computes_beside_small_stack(void) /* that no signal of the program's needs */
{
  const size_t size = 4096;
  volatile double x = 0;
  int below = 0;
  memset(alternate, 1, sizeof alternate);
  sigaltstack(&(stack_t){.ss_sp = alternate + sizeof alternate - size, .ss_size = size}, NULL);
  for (time_t end = time(NULL) + 3; time(NULL) < end;)
    x += 1;
  sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  for (size_t i = 0; i < sizeof alternate - size; i++)
    below += alternate[i] != 1;
  meet();
  return below;
}

static int computes_and_blocks_all(void) /* and takes signals when it likes */
{
  sigset_t all, before;
  siginfo_t info;
  volatile double x = 0;
  int came = 0;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  for (time_t end = time(NULL) + 4; time(NULL) < end;)
    x += 1;
  while (sigtimedwait(&all, &info, &(struct timespec){0, 0}) > 0)
    came++;
  sigprocmask(SIG_SETMASK, &before, NULL);
  meet();
  return came;
}

static int ignores_real_time(void)
{
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
    handle(s, SIG_IGN, 0);
  pid_t child = fork();
  if (child == 0) {
    sleep(4);
    _exit(0);
  }
  int waited = waitpid(child, NULL, 0) == child;
  meet();
  return waited;
}

static int resets(void)
{
  struct sigaction old;
  int strange = 0;
  for (int s = 1; s < 32; s++)
    if (sigaction(s, NULL, &old) == 0)
      strange += old.sa_handler == SIG_IGN;
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_IGN);
  strange += signal(SIGINT, SIG_DFL) == SIG_IGN;
  meet();
  return strange > 0;
}

static int notified(void)
{
  timer_t t;
  struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
  handle(SIGRTMIN + 3, count, SA_RESTART);
  timer_create(CLOCK_MONOTONIC, &e, &t);
  timer_settime(t, 0, &(struct itimerspec){{0, 1000000}, {0, 1000000}}, NULL);
  while (hits < 50)
    free(malloc(100));
  timer_delete(t);
  return 1;
}

/* ---- processes ---- */

static int children(int n, int (*begin)(void))
{
  int good = 0, status;
  for (int i = 0; i < n; i++) {
    pid_t p = begin();
    if (p > 0 && waitpid(p, &status, 0) == p)
      good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (i % 20 == 0)
      meet();
  }
  return good;
}

static int vforked(void)
{
  pid_t p = vfork();
  if (p == 0) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGUSR1, SIG_IGN);
    execl("/bin/true", "true", (char *)NULL);
    _exit(127);
  }
  return p;
}

static int forked(void)
{
  pid_t p = fork();
  if (p == 0) {
    char *m = malloc(1 << 20);
    memset(m, 1, 1 << 20);
    memcpy(m, m + 5000, 5000);
    free(m);
    _exit(0);
  }
  return p;
}

static int spawned(void)
{
  pid_t p = -1;
  char *args[] = {"true", NULL};
  posix_spawn(&p, "/bin/true", NULL, NULL, args, environ);
  return p;
}

static int vforks(void) { return children(100, vforked); }
static int forks(void) { return children(100, forked); }
static int spawns(void) { return children(100, spawned); }
static int shells(void) { return system("exit 3") >> 8; }

static int vfork_and_handler(void)
{
  handle(SIGUSR1, count, 0);
  for (int i = 0; i < 50; i++)
    children(1, vforked);
  raise(SIGUSR1);
  meet();
  return hits;
}

static int fork_and_exit(void)
{
  int status = 0;
  fflush(stdout);
  pid_t p = fork();
  if (p == 0)
    quick_exit(5);
  waitpid(p, &status, 0);
  meet();
  return WEXITSTATUS(status);
}

static int fork_and_crash(void)
{
  int status = 0;
  pid_t p = fork();
  if (p == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    *nowhere = 1;
  }
  waitpid(p, &status, 0);
  meet();
  return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static int forkers;
static void forker(void) { forkers++; }
static int at_fork(void)
{
  pthread_atfork(forker, forker, NULL);
  children(10, forked);
  return forkers;
}

static void *forking(void *n) { return (void *)(size_t)children(20, n ? forked : vforked); }

/* ---- descriptors, files, limits ---- */

static int duplicates(void)
{
  int n = 0;
  for (int fd = 400; fd < 1000; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      n += dup2(0, fd) == fd && close(fd) == 0;
  meet();
  return n > 0;
}

static int few_descriptors(void)
{
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64});
  for (int i = 0; i < 300; i++)
    meet();
  return 64;
}

static int no_files(void)
{
  handle(SIGXFSZ, count, 0);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
  for (int i = 0; i < 20000; i++)
    free(malloc(100));
  for (int i = 0; i < 3000; i++)
    meet();
  return hits;
}

static int no_files_default(void)
{
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
  for (int i = 0; i < 3000; i++)
    meet();
  return 1;
}

static int little_memory(void)
{
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (fscanf(f, "%ld", &pages) != 1)
    return -1;
  fclose(f);
  rlim_t most = (rlim_t)pages * 4096 + (48 << 20);
  setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
  int got = 0;
  while (malloc(1 << 20))
    got++;
  for (int i = 0; i < 500; i++) {
    int x = 1;
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  return got > 0;
}

static int forbid(int call, int size)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = 4, .filter = code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  int r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  for (int i = 0; i < size; i++) {
    free(malloc(64 + (size_t)i % 5000));
    if (i % 20 == 0)
      meet();
  }
  return r;
}

static int forbids_fallocate(void) { return forbid(SYS_fallocate, 40000); }
static int forbids_ftruncate(void) { return forbid(SYS_ftruncate, 40000); }
static int forbids_open(void) { return forbid(SYS_openat, 2000); }
static int forbids_tgkill(void) { return forbid(SYS_tgkill, 2000); }
static int forbids_pread(void) { return forbid(SYS_process_vm_readv, 2000); }

static int leaves_directory(void)
{
  char name[] = "/tmp/tortureXXXXXX";
  int r = mkdtemp(name) == NULL;
  r += chdir(name) + rmdir(name);
  for (int i = 0; i < 500; i++)
    meet();
  return r;
}

static int empties_environment(void)
{
  clearenv();
  for (int i = 0; i < 200; i++) {
    char name[32];
    snprintf(name, sizeof name, "V%d", i);
    setenv(name, "x", 1);
  }
  meet();
  return getenv("V199") != NULL;
}

static int not_dumpable(void)
{
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NAME, "a)b (c");
  for (int i = 0; i < 500; i++)
    meet();
  return prctl(PR_GET_DUMPABLE);
}

static int no_stdio(void)
{
  close(0);
  int r = open("/dev/null", O_RDONLY);
  meet();
  return r;
}

/* ---- jumps and stacks ---- */

static int jumps(void)
{
  static jmp_buf here;
  volatile int n = 0;
  for (int i = 0; i < 100000; i++)
    if (setjmp(here) == 0)
      longjmp(here, 1);
    else
      n++;
  meet();
  return n;
}

static ucontext_t home, away;
static int done;
static void coroutine(void)
{
  for (int i = 0; i < 50; i++) {
    done += meet() > 0;
    swapcontext(&away, &home);
  }
}

static int coroutines(void)
{
  char *stack = malloc(256 << 10);
  getcontext(&away);
  away.uc_stack.ss_sp = stack;
  away.uc_stack.ss_size = 256 << 10;
  away.uc_link = &home;
  makecontext(&away, coroutine, 0);
  for (int i = 0; i < 50; i++)
    swapcontext(&home, &away);
  return done;
}

static int __attribute__((noinline)) wide(void)
{
  char *room = alloca(6 << 20);
  memset(room, 1, 6 << 20);
  return meet() + room[1000];
}

static int __attribute__((noinline)) nested(int n)
{
  volatile char room[64];
  room[0] = 1;
  return n ? nested(n - 1) + room[0] : meet();
}

static int deep_stack(void) { return nested(20000); }

/* ---- threads ---- */

static void *nothing(void *p) { return p; }

static int many_threads(void)
{
  int n = 0;
  for (int i = 0; i < 1000; i++) {
    pthread_t t;
    if (pthread_create(&t, NULL, nothing, NULL) == 0)
      n += pthread_join(t, NULL) == 0;
  }
  meet();
  return n;
}

static pthread_barrier_t together;
static void *at_once(void *p)
{
  char *m = malloc(10000);
  pthread_barrier_wait(&together);
  memset(m, 1, 10000);
  free(m);
  return p;
}

static int threads_at_once(void)
{
  enum { N = 300 };
  static pthread_t t[N];
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 64 << 10);
  pthread_barrier_init(&together, NULL, N);
  for (int i = 0; i < N; i++)
    if (pthread_create(&t[i], &a, at_once, NULL))
      return -1;
  for (int i = 0; i < N; i++)
    pthread_join(t[i], NULL);
  meet();
  return N;
}

static void *sends(void *p)
{
  int me = (int)(size_t)p, size, x = 0, sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 300; i++) {
    MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, me, &x, 1, MPI_INT, (rank + size - 1) % size, me, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    sum += x == i;
  }
  return (void *)(size_t)sum;
}

static int threads_send(void)
{
  pthread_t t[4];
  void *sum;
  int all = 0, level;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    return -1;
  for (size_t i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, sends, (void *)(i + 1));
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &sum);
    all += (int)(size_t)sum;
  }
  meet();
  return all;
}

static void *makes_communicators(void *p)
{
  for (int i = 0; i < 30000; i++) {
    MPI_Comm made;
    MPI_Comm_split(*(MPI_Comm *)p, 0, 0, &made);
    MPI_Comm_free(&made);
  }
  return p;
}

/* One thread may be given the handle that another has just freed, before that one knows. */
static int threads_make_communicators(void)
{
  MPI_Comm from[2];
  pthread_t t;
  int level;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    return -1;
  for (int i = 0; i < 2; i++)
    MPI_Comm_dup(MPI_COMM_SELF, &from[i]);
  pthread_create(&t, NULL, makes_communicators, &from[0]);
  makes_communicators(&from[1]);
  int r = pthread_join(t, NULL);
  meet();
  return r;
}

static void *sleeps(void *p)
{
  for (;;)
    sleep(1);
  return p;
}

static int cancels(void)
{
  int n = 0;
  for (int i = 0; i < 50; i++) {
    pthread_t t;
    void *how;
    pthread_create(&t, NULL, sleeps, NULL);
    pthread_cancel(t);
    pthread_join(t, &how);
    n += how == PTHREAD_CANCELED;
  }
  meet();
  return n;
}

static __thread char local[32 << 10];

static int threads_fork(void)
{
  pthread_t t;
  void *n;
  pthread_create(&t, NULL, forking, &local);
  pthread_join(t, &n);
  return (int)(size_t)n;
}

static void *uses_local(void *p)
{
  memset(local, 1, sizeof local);
  return p;
}
static int thread_local_storage(void)
{
  pthread_t t;
  for (int i = 0; i < 50; i++) {
    pthread_create(&t, NULL, uses_local, NULL);
    pthread_join(t, NULL);
  }
  meet();
  return local[0];
}

/* ---- libraries and memory ---- */

static int opens_libraries(void)
{
  int n = 0;
  for (int i = 0; i < 300; i++) {
    void *h = dlopen(i % 2 ? "libm.so.6" : "libresolv.so.2", RTLD_NOW | (i % 3 ? RTLD_LOCAL : RTLD_DEEPBIND));
    n += h && dlsym(h, i % 2 ? "cos" : "ns_initparse") != NULL;
    if (h)
      dlclose(h);
    if (i % 50 == 0)
      meet();
  }
  return n;
}

static int maps(void)
{
  int n = 0;
  for (int i = 0; i < 20000; i++) {
    char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[4096] = 1;
    n += munmap(p, 65536) == 0;
    if (i % 1000 == 0)
      meet();
  }
  return n;
}

static int breaks(void)
{
  char *p = sbrk(1 << 16);
  p[0] = 1;
  meet();
  return sbrk(0) != p;
}

static int allocates(void)
{
  int n = 0;
  void *p;
  for (size_t i = 1; i < 30000; i++) {
    char *a = malloc(i % 3000), *b = calloc(i % 7, 11);
    a = realloc(a, i % 9000 + 1);
    n += posix_memalign(&p, 64, i % 500) == 0;
    free(p);
    p = aligned_alloc(4096, 8192);
    n += ((size_t)p & 4095) == 0;
    free(p);
    free(a);
    free(b);
  }
  char *q = realloc(NULL, 0);
  free(q);
  free(NULL);
  meet();
  return n;
}

static int copies_within(void)
{
  static char room[1 << 20];
  unsigned sum = 0;
  for (size_t i = 0; i < 2000; i++) {
    memmove(room + i, room, 100000);
    memcpy(room + 500000, room + i, i);
    room[i] = (char)i;
    memset(room + 300000, (int)i, 5000);
  }
  for (size_t i = 0; i < sizeof room; i++)
    sum = sum * 31 + (unsigned char)room[i];
  meet();
  return (int)(sum & 0xffff);
}

static int keeps_errno(void)
{
  int bad = 0, size, flag;
  MPI_Request q;
  for (int i = 1; i < 200; i++) {
    errno = i % 100 + 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &size);
    bad += errno != i % 100 + 1;
    MPI_Irecv(&size, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q);
    MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
    bad += errno != i % 100 + 1;
    free(malloc((size_t)i * 100));
    bad += errno != i % 100 + 1;
  }
  meet();
  return bad;
}

/* ---- MPI's objects ---- */

static int communicators(void)
{
  int n = 0;
  for (int i = 0; i < 400; i++) {
    MPI_Comm c[4];
    for (int k = 0; k < 4; k++)
      n += MPI_Comm_dup(MPI_COMM_WORLD, &c[k]) == MPI_SUCCESS;
    MPI_Barrier(c[i % 4]);
    for (int k = 0; k < 4; k++)
      MPI_Comm_free(&c[k]);
  }
  return n;
}

static int requests(void)
{
  enum { N = 20000 };
  static MPI_Request q[2 * N];
  static int in[N], sent[N];
  int size, n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < N; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, (rank + size - 1) % size, i % 1000, MPI_COMM_WORLD, &q[i]);
  for (int i = 0; i < N; i++)
    sent[i] = i, MPI_Isend(&sent[i], 1, MPI_INT, (rank + 1) % size, i % 1000, MPI_COMM_WORLD, &q[N + i]);
  for (int i = 0; i < 2 * N; i++)
    MPI_Wait(&q[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++)
    n += in[i] == i;
  return n;
}

static int types(void)
{
  int n = 0;
  for (int i = 1; i < 3000; i++) {
    MPI_Datatype t;
    MPI_Type_vector(i % 50 + 1, 2, 5, MPI_INT, &t);
    MPI_Type_commit(&t);
    n += MPI_Type_free(&t) == MPI_SUCCESS;
  }
  meet();
  return n;
}

static int freed_attributes;
static int freed(MPI_Comm c, int key, void *value, void *extra)
{
  (void)c, (void)key, (void)value, (void)extra;
  freed_attributes++;
  return MPI_SUCCESS;
}
static int attributes(void)
{
  int key;
  MPI_Comm c;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &key, NULL);
  for (int i = 0; i < 100; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_attr(c, key, &key);
    MPI_Comm_free(&c);
  }
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
  return freed_attributes;
}

static jmp_buf of_error;
static void fails(MPI_Comm *c, int *code, ...) { (void)c, (void)code, hits++, longjmp(of_error, 1); }
static int jumps_out_of_mpi(void)
{
  MPI_Errhandler h;
  MPI_Comm c;
  int x = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &c);
  MPI_Comm_create_errhandler(fails, &h);
  MPI_Comm_set_errhandler(c, h);
  for (volatile int i = 0; i < 100; i++)
    if (setjmp(of_error) == 0)
      MPI_Send(&x, 1, MPI_INT, 77, 0, c);
  meet();
  return hits;
}

static void adds(void *in, void *inout, int *n, MPI_Datatype *t)
{
  (void)t;
  for (int i = 0; i < *n; i++)
    ((int *)inout)[i] += ((int *)in)[i];
  free(malloc(100));
}
static int own_operation(void)
{
  MPI_Op op;
  int x = 1, y = 0;
  MPI_Op_create(adds, 1, &op);
  for (int i = 0; i < 200; i++)
    MPI_Allreduce(&x, &y, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  return y;
}

/* ---- ends ---- */

static void *outlives(void *unused)
{
  (void)unused;
  sleep(3);
  printf("rank %d: no thread is left that called MPI\n", rank);
  fflush(stdout);
  return NULL;
}

static int main_ends(void)
{
  pthread_t t;
  meet();
  MPI_Finalize();
  pthread_create(&t, NULL, outlives, NULL);
  pthread_exit(NULL);
}

static void said_at_exit(void) { printf("rank %d: at exit\n", rank), fflush(stdout); }
static int at_exit(void) { return atexit(said_at_exit); }

static int ends_by(int sig)
{
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  meet();
  if (rank == 0)
    raise(sig);
  return meet();
}

static int aborts(void)
{
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  meet();
  if (rank == 0)
    abort();
  return meet();
}
static int segfaults(void)
{
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  meet();
  if (rank == 0)
    *nowhere = 1;
  return meet();
}
static int killed(void) { return ends_by(SIGKILL); }
static int terminated(void) { return ends_by(SIGTERM); }
static int illegal(void) { return ends_by(SIGILL); }
static int exits(void) { return meet(), exit(7), 0; }
static int exits_at_once(void) { return meet(), _exit(7), 0; }
static int exits_quickly(void) { return meet(), quick_exit(7), 0; }
static int aborts_mpi(void) { return meet(), MPI_Abort(MPI_COMM_WORLD, 9); }

static const struct torture {
  const char *name;
  int (*run)(void);
} tortures[] = {
#define T(name) {#name, name}
  T(handles_at_home), T(sets_stack_and_back), T(recovers), T(recovers_small), T(overflows), T(write_barrier), T(bus_error), T(divides), T(profiled),
  T(profiled_on_stack), T(alarmed), T(storm), T(storm_of_the_recorders), T(every_signal), T(blocks_all),
  T(waits_for_signal), T(reads_signals), T(interrupted), T(interrupted_by_name), T(rests), T(writes_slowly), T(rests_after_stop),
  T(rests_without_descriptors), T(computes_and_blocks_all), T(computes_beside_small_stack), T(ignores_real_time), T(resets), T(notified), T(vforks), T(forks),
  T(spawns), T(shells), T(vfork_and_handler), T(fork_and_exit), T(fork_and_crash), T(at_fork), T(duplicates),
  T(few_descriptors), T(no_files), T(no_files_default), T(little_memory), T(forbids_fallocate), T(forbids_ftruncate),
  T(forbids_open), T(forbids_tgkill), T(forbids_pread), T(leaves_directory), T(empties_environment), T(not_dumpable),
  T(no_stdio), T(jumps), T(coroutines), T(wide), T(deep_stack), T(many_threads), T(threads_at_once), T(threads_send), T(threads_make_communicators),
  T(cancels), T(threads_fork), T(thread_local_storage), T(opens_libraries), T(maps), T(breaks), T(allocates),
  T(copies_within), T(keeps_errno), T(communicators), T(requests), T(types), T(attributes), T(jumps_out_of_mpi),
  T(own_operation), T(at_exit), T(aborts), T(segfaults), T(killed), T(terminated), T(illegal), T(exits),
  T(exits_at_once), T(exits_quickly), T(aborts_mpi), T(main_ends),
};

int main(int argc, char **argv)
{
  size_t n = sizeof tortures / sizeof *tortures, i = 0;
  int level;
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "list") == 0) {
    for (; i < n; i++)
      puts(tortures[i].name);
    return 0;
  }
  while (i < n && strcmp(name, tortures[i].name) != 0)
    i++;
  if (i == n)
    return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int came = tortures[i].run();
  printf("rank %d: %s %d\n", rank, name, came);
  fflush(stdout);
  meet();
  MPI_Finalize();
  return 0;
}
