#include "base/locks.h"
#include "base/peek.h"
#include "format.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/symbol.h"
#include "mpi/type.h"
#include "perturb/choose.h"
#include "perturb/epoch.h"
#include "perturb/forward.h"
#include "perturb/layout.h"
#include "perturb/nap.h"
#include "perturb/schedule.h"

#define MOST 1024 /* operations at a time */
#define BACKWARDS 2 /* value of a choice: the operation begins behind those that come after it */

struct operation {
  void *real;
  const struct lg_desc *desc;
  int binding;
  long args[LG_FORWARD_MOST]; /* what they are in C, where Fortran passes addresses too */
  long win;
  int target;
  bool backwards;
};

static struct operation operations[MOST]; /* in the order of their calls */
static int noperations;

static bool accumulates(const struct lg_call *c)
{
  return (c->desc->traits & TRAIT_sends && c->desc->op >= 0) || c->desc->cls == CLS_rma_now;
}

/* is_predefined: a datatype that the program may not free before the operation begins. */
static bool is_predefined(long type)
{
  int (*envelope)(long, int *, int *, int *, int *) = (int (*)(long, int *, int *, int *, int *))lg_find_symbol("PMPI_Type_get_envelope");
  int integers, addresses, types, combiner = -1;
  return envelope && !envelope(type, &integers, &addresses, &types, &combiner) && lg_combiner(combiner) == 0;
}

/* has_predefined_types looks at all datatypes of the call. */
static bool has_predefined_types(const struct lg_call *c)
{
  for (int i = 0; i < c->desc->nargs; i++)
    if (c->desc->params[i].kind == P_datatype) {
      long type = lg_type_handle(c, i, -1);
      if (!is_predefined(c->binding == LG_BIND_C ? type : lg_c_handle((int)type, "Type")))
        return false;
    }
  return true;
}

/* by_address tells whether the language passes an argument by its address that C passes by value. */
static bool by_address(const struct lg_desc *d, int binding, int i)
{
  return binding != LG_BIND_C && d->params[i].kind != P_buffer;
}

static void keep_args(const struct lg_call *c, struct operation *o)
{
  for (int i = 0; i < c->desc->nargs; i++) {
    bool large = c->desc->params[i].kind == P_aint || c->desc->params[i].kind == P_count;
    if (by_address(c->desc, c->binding, i))
      o->args[i] = large ? *(const long *)c->args[i] : *(const int *)c->args[i];
    else
      o->args[i] = c->args[i];
  }
}

static void start(struct operation *o)
{
  long given[LG_FORWARD_MOST];
  for (int i = 0; i < o->desc->nargs; i++)
    given[i] = by_address(o->desc, o->binding, i) ? (long)&o->args[i] : o->args[i];
  lg_call_form(o->real, o->binding, given, o->desc->nargs);
}

static bool is_about(const struct operation *o, long win, int target)
{
  return o->win == win && (target == LG_ANY || o->target == target);
}

/* start_for begins the operations on a window and a target, LG_ANY all: first those in order, then the others, the last one
 * first. */
static void start_for(long win, int target)
{
  int left = 0, begun = 0;
  for (int i = 0; i < noperations; i++)
    if (is_about(&operations[i], win, target) && !operations[i].backwards) {
      start(&operations[i]);
      begun++;
    }
  for (int i = noperations - 1; i >= 0; i--)
    if (is_about(&operations[i], win, target) && operations[i].backwards) {
      if (begun)
        lg_nap(lg_longest_us / 4); /* others may see what has begun */
      begun = 0;
      start(&operations[i]);
    }
  for (int i = 0; i < noperations; i++)
    if (!is_about(&operations[i], win, target))
      operations[left++] = operations[i];
  noperations = left;
}

static bool is_operation(const struct lg_call *c)
{
  return c->desc->cls == CLS_rma || c->desc->cls == CLS_rma_now || c->desc->cls == CLS_rma_nb;
}

void lg_start_operations(const struct lg_call *c)
{
  int at = c->desc->win;
  if (!noperations || at < 0 || (is_operation(c) && (c->desc->choices & CHOICE_epoch || !accumulates(c))))
    return;
  long win = c->desc->params[at].ref ? lg_handle_at(c, at, 0) : lg_handle_in(c, at);
  bool one = c->desc->peer >= 0 && (c->desc->cls == CLS_win_flush || c->desc->cls == CLS_win_unlock);
  lg_lock_tables();
  start_for(win, one ? lg_int(c, c->desc->peer) : LG_ANY);
  lg_unlock_tables();
}

static long begin_later(void)
{
  return lg_return_code(lg_forwarded.call, 0);
}

/* find_result finds where the operation will put what it gets: a buffer, behind it a count in most calls, and the datatype.
 * The buffer is NULL if it gets nothing; false: it cannot be told. */
static bool find_result(const struct lg_call *c, void **at, size_t *bytes)
{
  const struct lg_param *params = c->desc->params;
  int i = 0;
  *at = NULL;
  while (i < c->desc->nargs && (params[i].kind != P_buffer || params[i].dir == LG_IN))
    i++;
  if (i == c->desc->nargs)
    return true;
  bool counted = params[i + 1].kind != P_datatype;
  long type = lg_type_handle(c, i + 1 + counted, -1);
  uint64_t count = counted ? lg_count_of(c, i + 1) : 1, size = lg_type_size(c, type);
  const struct lg_extent *e = lg_type_extent(c, type);
  if (lg_arg_address(c, i) == LG_USE_BOTTOM || size != (uint64_t)e->extent || size != (uint64_t)e->true_extent)
    return false;
  *at = (void *)(uintptr_t)lg_arg_address(c, i);
  *bytes = count * size;
  return true;
}

/* is_there tells whether memory may be written to as the program's other memory: a device's may not. */
static bool is_there(const void *at, size_t bytes)
{
  char last;
  return !at || !bytes || lg_peek((uint64_t)at + bytes - 1, &last, 1) == 1;
}

/* Operations "are nonblocking: the call initiates the transfer, but the transfer may continue after the call returns. The
 * transfer is completed … when a subsequent synchronization call is issued by the caller on the involved window object",
 * and until then neither is the origin buffer to be changed nor what is got to be read (MPI-4.0 §12.3). Only accumulates
 * are ordered within an epoch (§12.7.2). So an operation may begin with the call that completes it, behind later ones. */
void lg_choose_epoch(struct lg_call *c)
{
  int peer = c->binding == LG_BIND_F08TS ? LG_PROC_NULL : lg_peer(lg_int(c, c->desc->peer));
  uint64_t value = 0;
  void *result = NULL;
  size_t bytes = 0;
  lg_lock_tables();
  long win = lg_handle_in(c, c->desc->win);
  bool ordered = accumulates(c), open = peer >= 0 && noperations < MOST && lg_alone() && has_predefined_types(c) &&
    find_result(c, &result, &bytes) && is_there(result, bytes);
  if (open && lg_choose(c, CHOICE_epoch, &value)) {
    struct operation *o = &operations[noperations++];
    *o = (struct operation){
      .real = c->real, .desc = c->desc, .binding = c->binding, .win = win, .target = peer, .backwards = value == BACKWARDS && !ordered,
    };
    keep_args(c, o);
    if (result)
      lg_fill(result, bytes);
    lg_put_instead(c, begin_later, 0);
  } else if (ordered) {
    start_for(win, LG_ANY);
  }
  lg_unlock_tables();
}
