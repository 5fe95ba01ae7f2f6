#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/locks.h"
#include "base/reading.h"
#include "base/settings.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "usage/argument.h"
#include "usage/datatype.h"
#include "usage/event.h"
#include "usage/race.h"
#include "usage/typemap.h"
#include "usage/typetable.h"

#define NOTE_TOUCHED 4 /* recorded.BufferTouched */

#define OPERATIONS 256   /* that are looked after at once */
#define BUFFERS 3        /* of one: MPI_Compare_and_swap has most */
#define MOST_RUNS 65536  /* of bytes, of one buffer */
#define FOUND 16         /* between two calls */
#define NO_SYNC 1        /* what the fiber does is not behind us yet */

/* The sanitizer's interface (sanitizer/tsan_interface.h, tsan_debugging.cpp). */
#define SANITIZER extern __attribute__((weak))
SANITIZER void *__tsan_get_current_fiber(void);
SANITIZER void *__tsan_create_fiber(unsigned flags);
SANITIZER void __tsan_switch_to_fiber(void *fiber, unsigned flags);
SANITIZER void __tsan_set_fiber_name(void *fiber, const char *name);
SANITIZER void __tsan_read_range(void *at, long size); /* as gcc has it */
SANITIZER void __tsan_write_range(void *at, long size);
SANITIZER void __tsan_acquire(void *at);
SANITIZER void __tsan_release(void *at);
SANITIZER int __tsan_get_report_mop(void *report, unsigned long k, int *tid, void **at, int *size, int *write, int *atomic, void **trace,
                                    unsigned long frames);

bool lg_race_on;

/* The address of one is what its begin and its completion are ordered by. */
static struct operation {
  void *fiber;
  uint64_t number; /* 0: none is under way here */
  uint64_t begun;  /* number of the begin of its call */
  pthread_t thread; /* that made it */
  const struct lg_comm_ref *window; /* of one that a call on its window ends; NULL */
  int target;
  struct lg_span buffer[BUFFERS];
  bool received[BUFFERS]; /* MPI writes there */
} operations[OPERATIONS];

static struct found {
  uint64_t begun;
  uintptr_t pc;
  bool received, write; /* MPI receives there; the program wrote */
} found[FOUND];
static uint32_t nfound, ntaken; /* the sanitizer adds, any thread; the one that calls MPI takes */

/* of the operations, for whoever is told of a race */
static bool held;

static bool try_hold(void) { return !__atomic_test_and_set(&held, __ATOMIC_ACQUIRE); }

static void hold(void)
{
  while (!try_hold())
    ;
}

static void let_go(void) { __atomic_clear(&held, __ATOMIC_RELEASE); }

/* The sanitizer must leave alone what libraries do that were not built with it: MPI writes into the program's
 * memory by itself, too. */
void lg_race_start(void)
{
  const char *options = getenv("TSAN_OPTIONS");
  bool there = __tsan_get_current_fiber && __tsan_create_fiber && __tsan_switch_to_fiber && __tsan_set_fiber_name &&
               __tsan_read_range && __tsan_write_range && __tsan_acquire && __tsan_release && __tsan_get_report_mop;
  lg_race_on = there && lg_env_int("CHECKSUMS", 1) && options && strstr(options, "ignore_noninstrumented_modules=1");
}

/* ---- the bytes of a buffer ---- */

/* each_run calls f for each run of bytes, until it returns false; false: it did. */
static bool each_run(const struct lg_span *s, bool (*f)(char *at, int64_t size, void *arg), void *arg)
{
  const struct lg_dtype *t = s->type;
  char *buf = (char *)s->buf;
  if (t->nsegments == 1 && t->segments[0].size == t->extent)
    return f(buf + t->segments[0].at, s->count * t->extent, arg);
  int64_t left = MOST_RUNS;
  for (int64_t i = 0; i < s->count; i++, buf += t->extent)
    for (int64_t k = 0; k < t->nsegments; k++)
      if (!left--)
        return true;
      else if (!f(buf + t->segments[k].at, t->segments[k].size, arg))
        return false;
  return true;
}

static bool look(char *at, int64_t size, void *arg)
{
  (void)arg;
  *(volatile char *)at;
  ((volatile char *)at)[size - 1];
  return true;
}

static void look_at(void *arg)
{
  each_run(arg, look, NULL);
}

static bool touch(char *at, int64_t size, void *arg)
{
  (*(const bool *)arg ? __tsan_write_range : __tsan_read_range)(at, (long)size);
  return true;
}

static bool elsewhere(char *at, int64_t size, void *arg)
{
  const char *p = arg;
  return p < at || p >= at + size;
}

static bool within(const struct lg_span *s, const char *p)
{
  return s->type && !each_run(s, elsewhere, (void *)p);
}

/* ---- operations ---- */

/* add gives the operation a buffer, if it is memory that the program has. */
static void add(struct operation *o, const struct lg_span *s, bool received)
{
  if (!s->type || !s->count || !lg_type_map(s->type) || !s->type->nsegments || !lg_reading(look_at, (void *)s))
    return;
  for (int i = 0; i < BUFFERS; i++)
    if (!o->buffer[i].type) {
      o->buffer[i] = *s;
      o->received[i] = received;
      return;
    }
}

static uint64_t begin(const struct lg_usage *u, const struct operation *what)
{
  static uint64_t last;
  struct operation *o = operations;
  if (!what->buffer[0].type)
    return 0;
  while (o < operations + OPERATIONS && o->number)
    o++;
  if (o == operations + OPERATIONS)
    return 0;
  void *own = __tsan_get_current_fiber(), *fiber = o->fiber ? o->fiber : __tsan_create_fiber(0);
  if (!fiber)
    return 0;
  __tsan_set_fiber_name(fiber, "MPI");
  hold();
  *o = *what;
  o->fiber = fiber;
  o->begun = u->begun;
  o->thread = pthread_self();
  o->number = ++last * OPERATIONS + (uint64_t)(o - operations);
  __tsan_switch_to_fiber(fiber, 0);
  for (int i = 0; i < BUFFERS && o->buffer[i].type; i++) {
    lg_type_hold(o->buffer[i].type);
    each_run(&o->buffer[i], touch, &o->received[i]);
  }
  __tsan_release(o);
  __tsan_switch_to_fiber(own, NO_SYNC);
  let_go();
  return o->number;
}

static void end(struct operation *o)
{
  hold();
  __tsan_acquire(o);
  for (int i = 0; i < BUFFERS && o->buffer[i].type; i++)
    lg_type_drop(o->buffer[i].type);
  o->number = 0;
  let_go();
}

uint64_t lg_race_begun(struct lg_usage *u, const struct lg_span *sent, const struct lg_span *received)
{
  struct operation o = {0};
  if (lg_shared)
    return 0;
  add(&o, sent, false);
  add(&o, received, true);
  return begin(u, &o);
}

void lg_race_ended(uint64_t operation)
{
  struct operation *o = &operations[operation % OPERATIONS];
  if (unlikely(operation && operation == o->number))
    end(o);
}

/* ---- of one-sided communication ---- */

/* buffers are those of the origin: each address has the count and the type that follow it, or only the type. */
static void buffers(const struct lg_call *c, struct lg_usage *u, struct operation *o)
{
  const struct lg_param *p = c->desc->params;
  bool idle = (c->desc->traits & TRAIT_sends) && c->desc->op >= 0 && lg_op_handle(c, c->desc->op) == lg_fam.op_null; /* reads nothing */
  for (int i = 0; i < c->desc->nargs; i++) {
    if (p[i].kind != P_buffer || (idle && p[i].dir == LG_IN))
      continue;
    int64_t count = 1, address = lg_arg_address(c, i);
    int k = i + 1;
    for (; k < c->desc->nargs && p[k].kind != P_datatype; k++)
      if (p[k].kind == P_count)
        count = (int64_t)lg_count_of(c, k);
    struct lg_dtype *t = k < c->desc->nargs ? lg_type_at(lg_type_index(u, lg_arg(c, k, 0), c->binding != LG_BIND_C)) : NULL;
    add(o, &(struct lg_span){t, address == LG_USE_BOTTOM ? NULL : (const void *)address, count}, p[i].dir != LG_IN);
  }
}

uint64_t lg_race_access(const struct lg_call *c, struct lg_usage *u)
{
  int cls = c->desc->cls;
  if (lg_shared || (cls != CLS_rma && cls != CLS_rma_now && cls != CLS_rma_nb) || !c->comm)
    return 0;
  int target = lg_int(c, c->desc->peer);
  struct operation o = {.window = c->comm, .target = target};
  if (target == lg_fam.proc_null)
    return 0;
  buffers(c, u, &o);
  return begin(u, &o);
}

/* synchronized ends what the call completes at this process, before anything of the program's can follow. */
static void synchronized(const struct lg_call *c)
{
  bool one = false;
  switch (c->desc->cls) {
  case CLS_win_flush: case CLS_win_unlock:
    one = c->desc->peer >= 0;
    break;
  case CLS_win_coll: case CLS_win_complete: case CLS_win_free:
    break;
  default:
    return;
  }
  int target = one ? lg_int(c, c->desc->peer) : 0;
  for (struct operation *o = operations; o < operations + OPERATIONS; o++)
    if (o->number && o->window && o->window == c->comm && (!one || o->target == target))
      end(o);
}

/* ---- what is found ---- */

/* Of other threads nothing is believed: how they wait for this one may be hidden from the sanitizer, as in gcc's OpenMP. */
void lg_race_found(void *report)
{
  void *at = NULL, *pc = NULL;
  int tid, size, write, atomic;
  if (!lg_race_on || !__tsan_get_report_mop(report, 0, &tid, &at, &size, &write, &atomic, &pc, 1) || !try_hold())
    return; /* MPI's own access: two operations share memory, which their arguments tell */
  for (uint32_t i = 0; i < OPERATIONS * BUFFERS; i++) {
    const struct operation *o = &operations[i / BUFFERS];
    if (!o->number || !pthread_equal(o->thread, pthread_self()) || !within(&o->buffer[i % BUFFERS], at))
      continue;
    if (nfound - __atomic_load_n(&ntaken, __ATOMIC_ACQUIRE) < FOUND) {
      found[nfound % FOUND] = (struct found){o->begun, (uintptr_t)pc, o->received[i % BUFFERS], write};
      __atomic_store_n(&nfound, nfound + 1, __ATOMIC_RELEASE);
    }
    break;
  }
  let_go();
}

void lg_race_before(const struct lg_call *c, struct lg_usage *u)
{
  for (uint32_t n = __atomic_load_n(&nfound, __ATOMIC_ACQUIRE); ntaken != n;) {
    struct found f = found[ntaken % FOUND];
    __atomic_store_n(&ntaken, ntaken + 1, __ATOMIC_RELEASE);
    lg_event_note(u, NOTE_TOUCHED, f.begun, u->begun, (int64_t)(f.pc << 2 | (uintptr_t)f.received << 1 | f.write));
  }
  synchronized(c);
}
