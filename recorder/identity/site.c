/* Call stacks below MPI: which ones there are, and which of them a call is. A
 * call may come from any thread and from a signal handler, also from one that
 * interrupted the allocator; so nothing here allocates, and a call that came
 * while this thread is writing to the file is left out. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/pages.h"
#include "base/reading.h"
#include "base/recording.h"
#include "file/record.h"
#include "identity/site.h"
#include "python/words.h"
#include "stack/cache.h"

#define CACHE_BITS 9
#define CHECKS 65536     /* return addresses a thread's cache may hold */
#define MAX_SITES 32768  /* of the process */

struct visitor { /* a thread that was seen here */
  struct lg_cache cache;
  struct visitor *next;
  bool in_use;
};

static __thread struct visitor *self __attribute__((tls_model("initial-exec")));
static struct visitor *visitors;
static pthread_key_t thread_gone;
static struct lg_site *sites;          /* MAX_SITES */
static struct lg_site **by_hash;       /* twice as many */
static uint32_t nsites;

/* ---- threads ---- */

static void release(void *visitor)
{
  self = NULL;
  __atomic_store_n(&((struct visitor *)visitor)->in_use, false, __ATOMIC_RELEASE);
}

struct map { /* a line of /proc/self/maps */
  uint64_t lo, hi;
  bool stack; /* of the first thread */
};

static bool parse_map(const char *line, struct map *m)
{
  char *end;
  m->lo = strtoull(line, &end, 16);
  if (*end != '-')
    return false;
  m->hi = strtoull(end + 1, &end, 16);
  m->stack = strstr(end, "[stack]") != NULL;
  return true;
}

/* stack_bounds finds the mapping around an address on the stack. If it holds the
 * thread's own descriptor, or is the first thread's, it is the native stack.
 * pthread_getattr_np would say so too, but allocates. */
static void stack_bounds(struct lg_cache *c, uint64_t at)
{
  static char text[16384]; /* the file lock is held */
  size_t kept = 0;
  uint64_t before = 0;
  struct map m;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  c->stack_lo = c->stack_hi = 0;
  for (long n; fd >= 0 && (n = syscall(SYS_read, fd, text + kept, sizeof text - 1 - kept)) > 0;) {
    char *line = text, *end;
    text[kept + (size_t)n] = 0;
    for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      *end = 0;
      if (!parse_map(line, &m))
        continue;
      if (at >= m.lo && at < m.hi && (m.stack || ((uint64_t)pthread_self() >= m.lo && (uint64_t)pthread_self() < m.hi))) {
        c->stack_lo = m.stack ? before : m.lo; /* the first thread's may still grow */
        c->stack_hi = m.hi;
      }
      before = m.hi;
    }
    kept = strlen(line);
    memmove(text, line, kept);
    if (kept == sizeof text - 1)
      kept = 0; /* no line is that long */
  }
  if (fd >= 0)
    syscall(SYS_close, fd);
}

static struct visitor *visitor_new(void)
{
  for (struct visitor *v = visitors; v; v = v->next)
    if (!__atomic_load_n(&v->in_use, __ATOMIC_ACQUIRE))
      return v;
  struct visitor *v = lg_pages(sizeof *v);
  if (!v || !lg_cache_make(&v->cache, CACHE_BITS, CHECKS)) {
    lg_turn_off("no memory for the call stacks of a thread");
    return NULL;
  }
  v->next = visitors;
  return visitors = v;
}

static struct visitor *arrive(uint64_t cfa)
{
  struct visitor *v = visitor_new();
  if (!v)
    return NULL;
  v->in_use = true;
  lg_cache_clear(&v->cache);
  stack_bounds(&v->cache, cfa);
  pthread_setspecific(thread_gone, v);
  return self = v;
}

void lg_site_start(void)
{
  pthread_key_create(&thread_gone, release);
}

/* ---- sites ---- */

static bool site_record(struct lg_site *s, const uint64_t *frames)
{
  uint32_t name = (uint32_t)strlen(s->function);
  uint32_t bytes = (uint32_t)(sizeof(struct lg_site_rec) - sizeof(struct lg_rec)) + s->nframes * 8 + name;
  uint32_t fixed = (bytes + 7) & ~7u;
  struct lg_site_rec *r = lg_rec_begin(LG_REC_SITE, 0, fixed, (uint32_t)(sizeof(struct lg_rec) + sizeof(struct lg_traffic)) + fixed);
  if (!r)
    return false;
  r->index = s->index;
  r->nframes = (uint16_t)s->nframes;
  r->name_len = (uint16_t)name;
  r->flags = s->flags;
  uint64_t *words = (uint64_t *)(r + 1);
  memcpy(words, frames, 8 * s->nframes);
  memcpy(words + s->nframes, s->function, name);
  struct lg_traffic *traffic = (void *)((char *)r + sizeof(struct lg_rec) + fixed);
  lg_rec_commit(r);
  s->frames = words;
  s->calls = &traffic->calls;
  s->bytes = &traffic->bytes;
  return true;
}

static bool same_site(const struct lg_site *s, const char *function, uint64_t hash, const uint64_t *frames, int n,
                      uint32_t flags)
{
  return s->hash == hash && s->function == function && s->flags == flags && s->nframes == (uint32_t)n && memcmp(s->frames, frames, sizeof *frames * (size_t)n) == 0;
}

static struct lg_site *site_new(struct lg_site **slot, const char *function, uint64_t hash, const uint64_t *frames,
                                int n, uint32_t flags)
{
  if (nsites == MAX_SITES) {
    static bool said;
    if (!said)
      lg_note("table full: call stacks below MPI, and calls made from them, are dropped from now on");
    said = true;
    return NULL;
  }
  struct lg_site *s = &sites[nsites];
  *s = (struct lg_site){.hash = hash, .function = function, .index = nsites, .nframes = (uint32_t)n, .flags = flags};
  if (!site_record(s, frames))
    return NULL;
  nsites++;
  return *slot = s;
}

static struct lg_site *site_of(const char *function, const uint64_t *frames, int n, uint32_t flags)
{
  uint64_t hash = lg_mix(0, (uint64_t)function);
  if (!sites) {
    sites = lg_pages(sizeof *sites * MAX_SITES);
    by_hash = lg_pages(sizeof *by_hash * 2 * MAX_SITES);
    if (!sites || !by_hash) {
      lg_turn_off("no memory for call stacks");
      return NULL;
    }
  }
  for (int i = 0; i < n; i++)
    hash = lg_mix(hash, frames[i]);
  uint32_t k = (uint32_t)hash & (2 * MAX_SITES - 1);
  while (by_hash[k] && !same_site(by_hash[k], function, hash, frames, n, flags))
    k = (k + 1) & (2 * MAX_SITES - 1);
  return by_hash[k] ? by_hash[k] : site_new(&by_hash[k], function, hash, frames, n, flags);
}

/* unwound keeps in the cache what comes a second time: programs that start call
 * once from each of thousands of places. */
static struct lg_site *__attribute__((noinline)) unwound(const char *function, uint64_t ra, uint64_t cfa)
{
  static struct lg_words w; /* large; the file lock is held */
  struct lg_trace tr;
  struct lg_site *s = NULL;
  int err = errno;
  if (!lg_lock_file_soon())
    return NULL;
  struct visitor *v = self ? self : arrive(cfa);
  if (v && !lg_off && !lg_unloading) {
    uint32_t before = nsites;
    int most = lg_py_most(nsites, 2 * MAX_SITES); /* all or a few: the line alone may be a library's */
    lg_cache_unwind(&v->cache, cfa, &tr);
    lg_words_here(&tr, most, &w);
    s = site_of(function, w.word, w.n, (w.partial ? LG_STACK_PARTIAL : 0) | (w.interpreter ? LG_STACK_INTERPRETER : 0));
    if (s && s->index < before && w.kept)
      lg_cache_keep(&v->cache, function, w.mark, ra, cfa, &tr, w.check, w.nchecks, s);
  }
  lg_unlock_file();
  errno = err;
  return s;
}

struct looked_up { /* the arguments of look_up, and what it found */
  const char *function;
  uint64_t ra, cfa;
  struct lg_site *site;
};

static inline void look_up(struct looked_up *l)
{
  l->site = lg_cache_find(&self->cache, l->function, lg_py_mark(), l->ra, l->cfa);
}

static void look_up_read(void *arg)
{
  look_up(arg);
}

/* An interpreter may be changing its structures when it calls the C library, as it never is at
 * a call of MPI: a fault in reading them then says that the stack is another one. */
struct lg_site *lg_site_find(const char *function, uint64_t ra, uint64_t cfa)
{
  struct looked_up l = {function, ra, cfa, NULL};
  if (unlikely(lg_file_mine()))
    return NULL;
  if (unlikely(!self))
    return unwound(function, ra, cfa);
  if (likely(!lg_py_found))
    look_up(&l);
  else if (!lg_reading(look_up_read, &l))
    l.site = NULL;
  return likely(l.site != NULL) ? l.site : unwound(function, ra, cfa);
}

struct lg_site *lg_site_at(const char *function, uint64_t ra)
{
  struct lg_site *s = NULL;
  if (lg_lock_file_soon()) {
    uint64_t frame = lg_frame_word(ra);
    s = lg_off ? NULL : site_of(function, &frame, 1, LG_STACK_PARTIAL);
    lg_unlock_file();
  }
  return s;
}
