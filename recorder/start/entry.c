#include <string.h>
#include "base/locks.h"
#include "base/recording.h"
#include "calls/dispatch.h"
#include "calls/failed.h"
#include "calls/operation.h"
#include "calls/poll.h"
#include "calls/refused.h"
#include "file/rank.h"
#include "identity/thread.h"
#include "mpi/address.h"
#include "mpi/binding.h"
#include "mpi/family.h"
#include "mpi/integer.h"
#include "mpi/status.h"
#include "mpi/symbol.h"
#include "mpi/table.h"
#include "perturb/perturb.h"
#include "perturb/schedule.h"
#include "stack/modules.h"
#include "start/ends.h"
#include "start/entry.h"
#include "start/start.h"
#include "usage/usage.h"
#include "volume/bytes.h"
#include "volume/volume.h"

/* A request that is only made sends when it is started. */
static inline void count_bytes(struct lg_call *c)
{
  int cls = c->desc->cls;
  if (cls == CLS_send_init || cls == CLS_bsend_init || cls == CLS_coll_init)
    return;
  bool collective = cls == CLS_coll || cls == CLS_icoll;
  lg_sent(c, collective ? LG_NONE : lg_peer(lg_int(c, c->desc->peer)), lg_send_bytes(c));
}

static bool uses_tables(int cls)
{
  return cls != CLS_local;
}

/* goes_elsewhere tells whether a call is for a library that is none of the MPI which is recorded. */
static bool __attribute__((noinline)) goes_elsewhere(struct lg_call *c, const struct lg_desc *d, int binding, uint64_t ra)
{
  bool may = lg_mpi_local && d->entries[binding] >= 0;
  void *p = may ? lg_bound_elsewhere(lg_entry_names[d->entries[binding]] + 1, ra) : NULL;
  if (p)
    c->real = p;
  return p != NULL;
}

/* after_loading is called when modules were found that were not known. */
static bool __attribute__((noinline)) after_loading(struct lg_call *c, struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t ra)
{
  t->bound_gen = lg_module_gen;
  lg_bindings_correct();
  return !goes_elsewhere(c, d, binding, ra);
}

static struct lg_thr *__attribute__((noinline)) first_call(struct lg_call *c, const struct lg_desc *d, int binding, uint64_t ra)
{
  if (goes_elsewhere(c, d, binding, ra) || lg_off || !lg_start())
    return NULL;
  return lg_thread_register();
}

/* by_mpi tells whether an address is in the MPI library or one of its components,
 * which may call functions of MPI themselves. Where the library is linked into the
 * program they cannot be told apart. */
static bool by_mpi(uint64_t pc)
{
  uint64_t init = (uint64_t)lg_find_symbol("PMPI_Init"); /* the loader's locks come before ours */
  lg_lock_file();
  struct lg_mapped *m = lg_module_at(pc);
  bool is = !m || !m->path || m == lg_module_at(init) || lg_module_of_mpi(m);
  lg_unlock_file();
  return is;
}

/* is_recorded_within tells whether a call within another one is recorded. By MPI_Abort a handler or another callback of the program ends
 * the job; no lock is waited for, as the handler may have interrupted anything. */
static bool __attribute__((noinline)) is_recorded_within(struct lg_call *c, const struct lg_desc *d, int binding, long *args, uint64_t ra)
{
  if (d->cls == CLS_abort) {
    c->desc = d;
    c->binding = binding;
    c->args = args;
    lg_said_end(LG_ABORTED, lg_int(c, 1), LG_ENDER_PROGRAM);
    lg_note_exit();
  }
  return (lg_usage_on || lg_dispatched_within(d)) && !by_mpi(ra);
}

/* before_within begins a call that a callback of the program makes, such as that of an
 * attribute within MPI_Finalize. It is recorded as use of MPI, and what it makes or frees; the rank remains in the
 * outer call. */
static bool before_within(struct lg_call *c, uint64_t ra, uint64_t cfa)
{
  struct lg_thr *t = c->thr;
  lg_lock_tables();
  bool on = !lg_usage_on || lg_usage_before_within(c);
  if (on)
    lg_dispatch_before_within(c);
  lg_unlock_tables();
  if (!on)
    return false;
  c->outer.cfa = t->outer_cfa;
  c->outer.ra = t->outer_ra;
  t->outer_cfa = cfa;
  t->outer_ra = ra;
  return true;
}

static void after_within(struct lg_call *c)
{
  struct lg_thr *t = c->thr;
  lg_lock_tables();
  c->code = lg_returned(c);
  lg_dispatch_after_within(c);
  if (lg_usage_on)
    lg_usage_after_within(c);
  lg_unlock_tables();
  t->outer_cfa = c->outer.cfa;
  t->outer_ra = c->outer.ra;
}

/* first_in_fortran finds the state of the first call of Fortran. Where its INTEGER has 8 bytes the arguments cannot be read: then
 * nothing is recorded from that call on. */
static struct lg_st *__attribute__((noinline)) first_in_fortran(struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t ra,
                                                                uint64_t cfa)
{
  if (binding == LG_BIND_C || lg_integer_bytes)
    return NULL;
  uint64_t outer_ra = t->outer_ra, outer_cfa = t->outer_cfa;
  t->outer_ra = ra; /* what MPI calls for that is within this call */
  t->outer_cfa = cfa;
  lg_integer_ask();
  t->outer_cfa = outer_cfa;
  t->outer_ra = outer_ra;
  if (lg_integer_bytes == 4)
    return lg_state_find(&t->model, d, binding, ra, cfa);
  lg_turn_off("Fortran's INTEGER has 8 bytes in this MPI: its calls cannot be recorded");
  return NULL;
}

bool lg_before(struct lg_call *c, const struct lg_desc *d, int binding, long *args, uint64_t ra, uint64_t cfa)
{
  struct lg_thr *t = lg_self;
  if (unlikely(!t) && !(t = first_call(c, d, binding, ra)))
    return false;
  if (unlikely(lg_off)) {
    (void)goes_elsewhere(c, d, binding, ra);
    return false;
  }
  c->within = lg_within(t, cfa);
  if (unlikely(c->within) && !is_recorded_within(c, d, binding, args, ra))
    return false;
  int language = binding > LG_BIND_F08 ? LG_BIND_F08 : binding;
  struct lg_st *st = lg_state_find(&t->model, d, language, ra, cfa);
  if (unlikely(!st) && !(st = first_in_fortran(t, d, language, ra, cfa)))
    return false;
  if (unlikely(t->bound_gen != lg_module_gen) && !after_loading(c, t, d, binding, ra))
    return false;
  c->thr = t;
  c->desc = d;
  c->binding = binding;
  c->args = args;
  c->st = st;
  c->comm = NULL;
  c->handle = 0;
  c->n = 0;
  c->req = NULL;
  c->peer = LG_PROC_NULL;
  c->tag = LG_NONE;
  c->own_status = false;
  c->recorded = false;
  if (unlikely(c->within))
    return before_within(c, ra, cfa);
  t->outer_cfa = cfa;
  t->outer_ra = ra;
  t->call = c;
  if (unlikely(lg_perturbing)) /* what it calls is within this call: Fortran's functions of MPICH call those of C */
    lg_perturb(c);
  lg_transition(&t->model, st);
  if (t->empty.st) {
    if (lg_poll_again(c))
      return true;
    t->empty.st = NULL;
  }
  if (!uses_tables(d->cls) && !lg_usage_on) {
    lg_op_local(c);
    return true;
  }
  lg_lock_tables();
  lg_dispatch_before(c);
  if (unlikely(lg_volume) && (d->traits & TRAIT_sends))
    count_bytes(c);
  if (lg_usage_on)
    lg_usage_before(c);
  lg_unlock_tables();
  return true;
}

void lg_after(struct lg_call *c)
{
  struct lg_thr *t = c->thr;
  if (unlikely(c->within))
    return after_within(c);
  if ((c->recorded || uses_tables(c->desc->cls)) && likely(!lg_off)) {
    lg_lock_tables();
    c->code = lg_returned(c);
    if (c->recorded)
      lg_usage_ended(c); /* what the call completed is still known */
    if (likely(!c->code) || !lg_take_back(c))
      lg_dispatch_after(c);
    if (c->recorded)
      lg_usage_after(c);
    if (unlikely(c->code))
      lg_failed(c, c->code);
    lg_unlock_tables();
  }
  t->outer_cfa = 0;
  __atomic_store_n(&t->pub->in_mpi, 0, __ATOMIC_RELEASE);
}

void *lg_light_real(int entry, void *real, uint64_t ra)
{
  void *p = lg_bound_elsewhere(lg_entry_names[entry] + 1, ra);
  return p ? p : real;
}

struct lg_thr *lg_light_begin(uint64_t cfa)
{
  struct lg_thr *t = lg_self;
  if (!t || lg_off || lg_within(t, cfa))
    return NULL;
  t->pub->light++;
  t->outer_cfa = cfa;
  t->outer_ra = lg_code(((const uint64_t *)cfa)[-1]);
  return t;
}
