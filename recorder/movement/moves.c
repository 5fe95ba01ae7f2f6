/* Each thread has a stream of its own; a number that the process counts puts the
 * events in one order. An interposed function may be called anywhere, in a signal
 * handler or within the loader too, so an event that comes while its thread
 * writes another is left out, and nothing here waits for a lock without end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include "base/hash.h"
#include "base/leb.h"
#include "base/locks.h"
#include "base/pages.h"
#include "base/recording.h"
#include "base/settings.h"
#include "export.h"
#include "file/rank.h"
#include "file/stream.h"
#include "identity/thread.h"
#include "movement/early.h"
#include "movement/moves.h"
#include "movement/wanted.h"
#include "identity/site.h"

#define INITIAL_BITS 10 /* return addresses within MPI_Init that are kept, as a power of two */
#define ROOM 192 /* bytes that an event may need, a definition before it included */

struct lane { /* a thread that moves data */
  struct lg_stream *stream;
  uint64_t block;           /* of the stream, plus one, that the fields below lean on */
  uint64_t order, now;      /* what the next event has, if it does not say */
  uint64_t from, to;        /* addresses of the last event */
  bool busy, in_use;
  uint32_t number;
  struct lane *next;
};

bool lg_moving;
static __thread struct lane *self __attribute__((tls_model("initial-exec")));
static __thread bool arriving __attribute__((tls_model("initial-exec")));
static struct lane *lanes;
static uint32_t nlanes;
static uint64_t order; /* of the next event of the process */
static pthread_key_t thread_gone;
static bool whole; /* what the MPI library does within a call is recorded too */
static bool early; /* what came before the first event is written */

/* ---- events ---- */

/* next_block is lg_stream_begin where a block may begin. That takes the file lock,
 * which a signal handler that records must not find taken by its own thread. */
static unsigned char *__attribute__((noinline)) next_block(struct lane *l)
{
  sigset_t all, was;
  int err = errno;
  sigfillset(&all);
  sigdelset(&all, SIGBUS); /* see lg_file_fault */
  pthread_sigmask(SIG_BLOCK, &all, &was);
  unsigned char *p = NULL;
  if (lg_lock_file_soon()) { /* which beginning a block needs */
    p = lg_stream_begin(l->stream, ROOM);
    lg_unlock_file();
  }
  pthread_sigmask(SIG_SETMASK, &was, NULL);
  errno = err;
  return p;
}

static inline unsigned char *room(struct lane *l)
{
  struct lg_stream *s = l->stream;
  unsigned char *p = likely((size_t)(s->end - s->at) >= ROOM) ? lg_stream_begin(s, ROOM) : next_block(l);
  if (unlikely(l->block != s->block + 1)) { /* a block is read by itself */
    l->block = s->block + 1;
    l->order = l->now = l->from = l->to = 0;
  }
  return p;
}

static inline uint64_t coarse_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME_COARSE, &t);
  return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

static inline uint64_t next_order(void)
{
  if (likely(nlanes == 1))
    return order++;
  return __atomic_fetch_add(&order, 1, __ATOMIC_RELAXED);
}

/* head writes what every event begins with: its kind, and order and time where
 * they are not those of the event before. */
static inline unsigned char *head(struct lane *l, unsigned char *p, unsigned kind)
{
  unsigned char *first = p++;
  uint64_t n = next_order(), now = coarse_us();
  if (unlikely(n != l->order)) {
    kind |= LG_MOVE_ORDER;
    p = lg_put_u(p, n - l->order);
  }
  if (unlikely(now != l->now)) {
    kind |= LG_MOVE_TIME;
    p = lg_put_s(p, (int64_t)(now - l->now));
  }
  l->order = n + 1;
  l->now = now;
  *first = (unsigned char)kind;
  return p;
}

static inline unsigned char *put_address(unsigned char *p, uint64_t *last, const void *at)
{
  p = lg_put_s(p, (int64_t)((uint64_t)at - *last));
  *last = (uint64_t)at;
  return p;
}

/* Within MPI_Init a library calls from some thousand stacks, once or twice from
 * each: to unwind them would cost more than all that follows. There the return
 * address stands for the stack. */
static struct lg_site *initial_site(const char *function, uint64_t ra)
{
  static struct {
    uint64_t ra;
    struct lg_site *site;
  } seen[1 << INITIAL_BITS];
  typeof(seen[0]) *k = &seen[lg_spread(ra, INITIAL_BITS)];
  struct lg_site *s = __atomic_load_n(&k->site, __ATOMIC_ACQUIRE);
  if (s && k->ra == ra && s->function == function)
    return s;
  s = lg_site_at(function, ra);
  k->ra = ra;
  __atomic_store_n(&k->site, s, __ATOMIC_RELEASE);
  return s;
}

static inline uint32_t site_of(const char *function, uint64_t ra, uint64_t cfa)
{
  struct lg_site *s = unlikely(lg_rank->status == LG_STARTING) ? initial_site(function, ra) : lg_site_find(function, ra, cfa);
  return likely(s != NULL) ? s->index + 1 : 0;
}

/* ---- memory ---- */

static void write_alloc(struct lane *l, uint32_t site, const void *p, size_t n)
{
  unsigned char *q = room(l);
  if (!q)
    return;
  q = lg_put_u(head(l, q, LG_MOVE_ALLOC), site);
  q = put_address(q, &l->to, p);
  lg_stream_end(l->stream, lg_put_u(q, n));
}

static void write_free(struct lane *l, const void *p)
{
  unsigned char *q = room(l);
  if (q)
    lg_stream_end(l->stream, put_address(head(l, q, LG_MOVE_FREE), &l->to, p));
}

static void write_copy(struct lane *l, uint32_t site, const void *to, const void *from, size_t n)
{
  unsigned char *q = room(l);
  if (!q)
    return;
  q = lg_put_u(head(l, q, LG_MOVE_COPY), site);
  q = put_address(q, &l->from, from);
  q = put_address(q, &l->to, to);
  lg_stream_end(l->stream, lg_put_u(q, n));
}

/* ---- threads ---- */

static void write_early(const struct lg_early *e)
{
  struct lg_site *site = lg_site_at(e->function, e->ra);
  write_alloc(self, site ? site->index + 1 : 0, e->p, e->n);
}

static void release(void *lane)
{
  self = NULL;
  __atomic_store_n(&((struct lane *)lane)->in_use, false, __ATOMIC_RELEASE);
}

static struct lane *lane_new(void)
{
  for (struct lane *l = lanes; l; l = l->next)
    if (!l->in_use)
      return l;
  struct lane *l = lg_pages(sizeof *l);
  if (!l)
    return NULL;
  l->number = nlanes;
  l->next = lanes;
  __atomic_store_n(&lanes, l, __ATOMIC_RELEASE);
  __atomic_store_n(&nlanes, nlanes + 1, __ATOMIC_RELEASE);
  return l;
}

/* arrive gives the calling thread its lane. Signals are held back here and where
 * a block is packed: a handler that leaves by a jump would keep a lock. */
static struct lane *__attribute__((noinline)) arrive(void)
{
  sigset_t all, was;
  struct lane *l = NULL;
  int err = errno;
  if (arriving || lg_file_mine())
    return NULL;
  arriving = true;
  sigfillset(&all);
  sigdelset(&all, SIGBUS); /* see lg_file_fault */
  pthread_sigmask(SIG_BLOCK, &all, &was);
  if (lg_lock_file_soon()) {
    l = lane_new();
    if (l)
      l->in_use = true;
    if (l && !l->stream)
      l->stream = lg_stream_open(LG_STREAM_MOVEMENT, lg_self ? lg_self->pub->index : LG_NO_THREAD);
    lg_unlock_file();
  }
  if (l) {
    l->busy = true; /* to set the key may allocate */
    self = l;
    pthread_setspecific(thread_gone, l);
    if (l->number == 0 && !early && l->stream)
      lg_early_each(write_early);
    early = true;
    l->busy = false;
  }
  pthread_sigmask(SIG_SETMASK, &was, NULL);
  arriving = false;
  errno = err;
  return l;
}

/* enter begins an event of this thread; NULL: it is not to be recorded. */
static inline struct lane *enter(void)
{
  struct lane *l = self;
  if (unlikely(lg_off) || (unlikely(!l) && !(l = arrive())))
    return NULL;
  if (unlikely(l->busy || !l->stream || !l->stream->live))
    return NULL;
  l->busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return l;
}

static inline void leave(struct lane *l)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  l->busy = false;
}

/* ---- what others tell ---- */

/* moving: a thread that sees it sees what lg_moves_start has done too. */
static inline bool moving(void)
{
  return __atomic_load_n(&lg_moving, __ATOMIC_ACQUIRE);
}

/* What a library takes for itself in MPI_Init is of no interest to its user. */
static inline bool initial(void)
{
  return !whole && lg_rank->status == LG_STARTING;
}

/* left_out tells of a copy or transfer that it is within an MPI call of this thread,
 * which is of interest to those who look into the library. What is allocated there
 * may be handed to the program later. */
static inline bool left_out(uint64_t cfa)
{
  return !whole && lg_self && lg_within(lg_self, cfa);
}

LG_EXPORT void laggard_allocated(const char *function, const void *p, size_t n, uint64_t ra, uint64_t cfa)
{
  struct lane *l;
  if (unlikely(!moving()))
    return lg_early_alloc(function, p, n, ra);
  if (initial() || !lg_wanted(ra) || !(l = enter()))
    return;
  write_alloc(l, site_of(function, ra, cfa), p, n);
  leave(l);
}

LG_EXPORT void laggard_freed(const void *p, uint64_t ra)
{
  struct lane *l;
  if (unlikely(!moving()))
    return lg_early_free(p);
  if (initial() || !lg_wanted(ra) || !(l = enter()))
    return;
  write_free(l, p);
  leave(l);
}

LG_EXPORT void laggard_resized(const char *function, const void *was, size_t had, const void *p, size_t n, uint64_t ra, uint64_t cfa)
{
  struct lane *l;
  if (unlikely(!moving())) {
    lg_early_free(was);
    return lg_early_alloc(function, p, n, ra);
  }
  if (initial() || !lg_wanted(ra) || !(l = enter()))
    return;
  unsigned char *q = NULL;
  if (was == p && (q = room(l)) != NULL) {
    q = put_address(head(l, q, LG_MOVE_RESIZE), &l->to, p);
    lg_stream_end(l->stream, lg_put_u(q, n));
  } else if (was != p) {
    uint32_t site = site_of(function, ra, cfa);
    write_alloc(l, site, p, n);
    write_copy(l, site, p, was, had < n ? had : n);
    write_free(l, was);
  }
  leave(l);
}

LG_EXPORT void laggard_copied(const char *function, void *to, const void *from, size_t n, uint64_t ra, uint64_t cfa)
{
  struct lane *l;
  if (!moving() || left_out(cfa) || !lg_wanted(ra) || !(l = enter()))
    return;
  write_copy(l, site_of(function, ra, cfa), to, from, n);
  leave(l);
}

/* ---- transfers ---- */

/* The event that says what the end of a connection is stands in each block before
 * the first that names it. */
static unsigned char *write_end(struct lane *l, unsigned char *q, struct laggard_end *e)
{
  q = lg_put_u(head(l, q, LG_MOVE_END), e->index);
  *q++ = e->kind;
  *q++ = e->bytes;
  memcpy(q, e->own, e->bytes);
  memcpy(q + e->bytes, e->other, e->bytes);
  q += 2 * e->bytes;
  lg_stream_end(l->stream, q);
  e->lane = l->number;
  e->block = l->block;
  return q;
}

static void write_transfer(struct lane *l, bool out, uint32_t site, struct laggard_end *e, uint64_t offset, const void *at, size_t n)
{
  unsigned char *q = room(l);
  if (!q)
    return;
  if (e->block != l->block || e->lane != l->number)
    q = write_end(l, q, e);
  q = lg_put_u(head(l, q, out ? LG_MOVE_OUT : LG_MOVE_IN), site);
  q = lg_put_u(lg_put_u(q, e->index), offset);
  q = put_address(q, out ? &l->from : &l->to, at);
  lg_stream_end(l->stream, lg_put_u(q, n));
}

LG_EXPORT void laggard_transferred(const char *function, bool out, struct laggard_end *e, uint64_t offset, const struct iovec *iov, size_t bytes,
                                   uint64_t ra, uint64_t cfa)
{
  struct lane *l;
  if (left_out(cfa) || !lg_wanted(ra) || !(l = enter()))
    return;
  uint32_t site = site_of(function, ra, cfa);
  for (; bytes > 0; iov++) {
    size_t n = iov->iov_len < bytes ? iov->iov_len : bytes;
    if (n)
      write_transfer(l, out, site, e, offset, iov->iov_base, n);
    offset += n;
    bytes -= n;
  }
  leave(l);
}

/* ---- messages of MPI ---- */

/* A state of a thread is named by the number of its thread and its own. */
void lg_moves_message(bool out, const struct lg_message *m)
{
  struct lane *l;
  unsigned char *q;
  if (!(l = enter()))
    return;
  if ((q = room(l)) != NULL) {
    q = head(l, q, out ? LG_MOVE_SEND : LG_MOVE_RECV);
    q = lg_put_u(lg_put_u(q, m->thread), m->state);
    q = lg_put_s(lg_put_s(lg_put_u(q, m->comm), m->peer), m->tag);
    q = put_address(lg_put_u(q, m->seq), out ? &l->from : &l->to, m->at);
    lg_stream_end(l->stream, lg_put_u(q, m->bytes));
  }
  leave(l);
}

/* ---- start ---- */

void lg_moves_start(void)
{
  if (!lg_records("movement"))
    return;
  const char *level = lg_env("LEVEL");
  whole = level && strcmp(level, "library") == 0;
  lg_wanted_start();
  pthread_key_create(&thread_gone, release);
  __atomic_store_n(&lg_moving, true, __ATOMIC_RELEASE);
}

LG_EXPORT bool laggard_moving(void)
{
  return moving() && __atomic_load_n(&lg_started, __ATOMIC_ACQUIRE) && !lg_off;
}
