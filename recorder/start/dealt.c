#define LONGEST_HANDLER 30000000000u /* ns */
#include "file/rank.h"
#include "start/dealt.h"

/* The last such fault. */
static struct {
  uint64_t end_ns; /* 0: there is none */
  const struct lg_thr *thread; /* NULL: one that never called MPI */
  uint64_t calls;
  uintptr_t frame;
} dealt_with;

void lg_dealing(uint64_t end_ns, uintptr_t frame)
{
  dealt_with.thread = lg_self;
  dealt_with.calls = lg_calls_of(lg_self);
  dealt_with.frame = frame;
  __atomic_store_n(&dealt_with.end_ns, end_ns, __ATOMIC_RELEASE);
}

void lg_dealt(uint64_t end_ns)
{
  uint64_t is = end_ns;
  __atomic_compare_exchange_n(&dealt_with.end_ns, &is, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  lg_survived(end_ns);
}

/* has_left tells whether a thread has left the handler by siglongjmp: it has called MPI since, or its stack was seen elsewhere. */
static bool has_left(const struct lg_thr *t, uint64_t since)
{
  bool seen = t->pub->stack.why != LG_WHY_FATAL && t->pub->stack.time_ns > since;
  return lg_calls_of(t) != dealt_with.calls || (seen && !lg_below(dealt_with.frame, t->stack_sp));
}

/* Of a thread that never calls MPI it is only seen that the others go on for longer than a handler would take. */
void lg_dealt_look(uint64_t now)
{
  uint64_t end_ns = __atomic_load_n(&dealt_with.end_ns, __ATOMIC_ACQUIRE);
  const struct lg_thr *t = dealt_with.thread;
  if (end_ns && (t ? has_left(t, end_ns) : !lg_rank->quiet_since_ns && now > end_ns + LONGEST_HANDLER))
    lg_dealt(end_ns);
}
