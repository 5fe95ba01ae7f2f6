#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/locks.h"
#include "base/settings.h"
#include "export.h"
#include "file/record.h"
#include "format.h"
#include "identity/comm.h"
#include "identity/thread.h"
#include "identity/site.h"
#include "volume/volume.h"

bool lg_volume;

/* The arguments say how large a problem the run has. They are the system's copy,
 * as the program may have changed its own. */
static void arguments_record(void)
{
  static char text[LG_MAX_ARGUMENTS + 4096]; /* the program's name comes first */
  size_t n = 0, skip;
  ssize_t got;
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && n < sizeof text && (got = read(fd, text + n, sizeof text - n)) > 0)
    n += (size_t)got;
  if (fd >= 0)
    close(fd);
  skip = strnlen(text, n) + 1;
  if (!n || skip > n)
    return;
  n -= skip;
  if (n > LG_MAX_ARGUMENTS)
    n = LG_MAX_ARGUMENTS;
  if (n)
    text[skip + n - 1] = 0;
  uint32_t fixed = ((uint32_t)(sizeof(struct lg_arguments) - sizeof(struct lg_rec)) + (uint32_t)n + 7) & ~7u;
  struct lg_arguments *r = lg_rec_begin(LG_REC_ARGUMENTS, 0, fixed, (uint32_t)sizeof(struct lg_rec) + fixed);
  if (!r)
    return;
  r->bytes = (uint32_t)n;
  memcpy(r + 1, text + skip, n);
  lg_rec_commit(r);
}

void lg_volume_start(void)
{
  lg_volume = lg_records("volume");
  if (!lg_volume)
    return;
  lg_lock_file();
  arguments_record();
  lg_unlock_file();
}

static struct lg_sent *sent_record(const struct lg_call *c)
{
  uint32_t fixed = offsetof(struct lg_sent, traffic) - sizeof(struct lg_rec);
  lg_lock_file();
  struct lg_sent *r = lg_rec_begin(LG_REC_SENT, (int)c->thr->pub->index, fixed, sizeof *r);
  if (r) {
    r->state = c->st->index;
    lg_rec_commit(r);
  }
  lg_unlock_file();
  return r;
}

static uint64_t away(const struct lg_comm_ref *comm, int peer)
{
  int d = abs(peer - comm->rank), round = comm->size - d;
  return (uint64_t)(round > 0 && round < d ? round : d);
}

void lg_sent(struct lg_call *c, int peer, uint64_t bytes)
{
  struct lg_sent *t = c->st->sent;
  if (unlikely(!t) && !(c->st->sent = t = sent_record(c)))
    return;
  t->traffic.calls++; /* a state is one thread's */
  t->traffic.bytes += bytes;
  if (c->comm && peer >= 0)
    t->distance += away(c->comm, peer);
}

LG_EXPORT void laggard_sent(const char *function, size_t bytes, uint64_t ra, uint64_t cfa)
{
  struct lg_site *s = lg_site_find(function, ra, cfa);
  if (!s)
    return;
  __atomic_fetch_add(s->calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(s->bytes, bytes, __ATOMIC_RELAXED);
}
