/* Connections: what the two ends of one are called, so that both processes mean
 * the same, and how many bytes went which way, so that both count alike. The
 * ends are asked for once for a descriptor. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "export.h"
#include "format.h"
#include "libc/libc.h"

struct connection {
  struct laggard_end end;
  uint64_t out, in; /* bytes so far */
  bool known;
};

#define FDS 65536
#define BLOCK 64 /* connections that memory is taken for at a time */
static struct connection *connections[FDS];
static uint32_t nends;
static int lock;

static struct connection *some(void)
{
  static struct connection *spare;
  static int left;
  if (left == 0) {
    void *p = mmap(NULL, sizeof *spare * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      return NULL;
    spare = p;
    left = BLOCK;
  }
  left--;
  return spare++;
}

/* name_of writes the name of an address; 0: it has none by which both know it. */
static size_t name_of(const struct sockaddr_storage *a, unsigned char *out)
{
  static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (a->ss_family == AF_INET) {
    const struct sockaddr_in *in = (const void *)a;
    memcpy(out, &in->sin_addr, 4);
    memcpy(out + 4, &in->sin_port, 2);
    return 6;
  }
  if (a->ss_family != AF_INET6)
    return 0;
  const struct sockaddr_in6 *in = (const void *)a;
  const unsigned char *address = in->sin6_addr.s6_addr;
  size_t skip = memcmp(address, mapped, sizeof mapped) == 0 ? sizeof mapped : 0; /* one end may see it as the older kind */
  memcpy(out, address + skip, 16 - skip);
  memcpy(out + 16 - skip, &in->sin6_port, 2);
  return 18 - skip;
}

static bool within_host(const unsigned char *name, size_t n)
{
  static const unsigned char one[16] = {[15] = 1};
  return n == 6 ? name[0] == 127 : memcmp(name, one, sizeof one) == 0;
}

static void ask(int fd, struct laggard_end *e)
{
  struct sockaddr_storage own = {0}, other = {0};
  socklen_t n = sizeof own, m = sizeof other, t = sizeof(int);
  int type = 0;
  *e = (struct laggard_end){.index = __atomic_fetch_add(&nends, 1, __ATOMIC_RELAXED), .kind = LG_END_OTHER};
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &t) || type != SOCK_STREAM ||
      getsockname(fd, (struct sockaddr *)&own, &n) || getpeername(fd, (struct sockaddr *)&other, &m))
    return;
  size_t bytes = name_of(&own, e->own);
  if (!bytes || name_of(&other, e->other) != bytes)
    return;
  e->bytes = (uint8_t)bytes;
  e->kind = within_host(e->own, bytes) ? LG_END_LOCAL : LG_END_STREAM;
}

/* A signal handler may come here too, and must not find the lock held by what
 * it interrupted. */
static sigset_t hold(void)
{
  sigset_t all, was;
  sigfillset(&all);
  sigdelset(&all, SIGBUS); /* see lg_file_fault */
  pthread_sigmask(SIG_BLOCK, &all, &was);
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
    sched_yield();
  return was;
}

static void let_go(sigset_t was)
{
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  pthread_sigmask(SIG_SETMASK, &was, NULL);
}

static struct connection *of(int fd)
{
  struct connection *c = __atomic_load_n(&connections[fd], __ATOMIC_ACQUIRE);
  if (likely(c && c->known))
    return c;
  sigset_t was = hold();
  c = connections[fd] ? connections[fd] : some();
  if (c && !c->known) {
    ask(fd, &c->end);
    c->out = c->in = 0;
    c->known = true;
  }
  __atomic_store_n(&connections[fd], c, __ATOMIC_RELEASE);
  let_go(was);
  return c;
}

void lg_connection_gone(int fd)
{
  struct connection *c = __atomic_load_n(&connections[fd], __ATOMIC_ACQUIRE);
  if (c)
    c->known = false;
}

/* ---- the memory of other processes ---- */

#define PROCESSES 256
static struct laggard_end processes[PROCESSES];
static int nprocesses;

static struct laggard_end *known(pid_t pid)
{
  int n = __atomic_load_n(&nprocesses, __ATOMIC_ACQUIRE);
  for (int i = 0; i < n; i++)
    if (memcmp(processes[i].other, &pid, sizeof pid) == 0)
      return &processes[i];
  return NULL;
}

static struct laggard_end *process(pid_t pid)
{
  struct laggard_end *e = known(pid);
  pid_t own = getpid();
  if (e)
    return e;
  sigset_t was = hold();
  e = known(pid);
  if (!e && nprocesses < PROCESSES) {
    e = &processes[nprocesses];
    *e = (struct laggard_end){.index = __atomic_fetch_add(&nends, 1, __ATOMIC_RELAXED), .kind = LG_END_PROCESS, .bytes = sizeof pid};
    memcpy(e->own, &own, sizeof own);
    memcpy(e->other, &pid, sizeof pid);
    __atomic_store_n(&nprocesses, nprocesses + 1, __ATOMIC_RELEASE);
  }
  let_go(was);
  return e;
}

void lg_connection_moved(const struct lg_io *io)
{
  if (io->fd < 0) {
    struct laggard_end *e = io->nremote ? process(io->pid) : NULL;
    if (e)
      laggard_transferred(io->function, io->out, e, (uint64_t)io->remote->iov_base, io->iov, io->bytes, io->ra, io->cfa);
    return;
  }
  struct connection *c = io->fd < FDS ? of(io->fd) : NULL;
  if (!c)
    return;
  uint64_t offset = __atomic_fetch_add(io->out ? &c->out : &c->in, io->bytes, __ATOMIC_RELAXED);
  if (io->niov)
    laggard_transferred(io->function, io->out, &c->end, offset, io->iov, io->bytes, io->ra, io->cfa);
}
