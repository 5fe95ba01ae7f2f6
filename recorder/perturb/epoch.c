#include <stdlib.h>
#include <string.h>
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
#define MOST_BYTES (64ul << 20) /* of copies together */
#define BACKWARDS 2 /* value of a choice: the operation begins behind those that come after it */

struct operation {
  void *real;
  const struct lg_desc *desc;
  int binding;
  long args[LG_FORWARD_MOST]; /* what they are in C, where Fortran passes addresses too */
  long win;
  int target;
  bool backwards;
  size_t sent;  /* bytes of its buffer, of MPI_Put; 0: they are not known */
  char *copy;   /* of the buffer, which the program has again: the operation is complete here, and not begun; NULL: there is none */
  long c_win;
};

static struct operation operations[MOST]; /* in the order of their calls */
static int noperations;
static size_t copied; /* bytes of copies */

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
  if (!o->copy)
    return;
  int (*flush)(int, long) = (int (*)(int, long))lg_find_symbol("PMPI_Win_flush");
  if (flush)
    flush(o->target, o->c_win); /* it needs the copy until then */
  free(o->copy);
  copied -= o->sent;
}

static bool is_about(const struct operation *o, long win, int target)
{
  return o->win == win && (target == LG_ANY || o->target == target);
}

static bool is_due(const struct operation *o, long win, int target, bool remote)
{
  return is_about(o, win, target) && (remote || !o->copy);
}

/* start_for begins the operations on a window and a target, LG_ANY all: first those in order, then the others, the last one
 * first. Those that have a copy only if the call completes operations at the target, too. */
static void start_for(long win, int target, bool remote)
{
  int left = 0, begun = 0;
  for (int i = 0; i < noperations; i++)
    if (is_due(&operations[i], win, target, remote) && !operations[i].backwards) {
      start(&operations[i]);
      begun++;
    }
  for (int i = noperations - 1; i >= 0; i--)
    if (is_due(&operations[i], win, target, remote) && operations[i].backwards) {
      if (begun)
        lg_nap(lg_longest_us / 4); /* others may see what has begun */
      begun = 0;
      start(&operations[i]);
    }
  for (int i = 0; i < noperations; i++)
    if (!is_due(&operations[i], win, target, remote))
      operations[left++] = operations[i];
  noperations = left;
}

/* copy_puts keeps what is to be put, so that it may come to the target later. */
static void copy_puts(long win, int target)
{
  for (int i = 0; i < noperations; i++) {
    struct operation *o = &operations[i];
    if (!is_about(o, win, target) || o->copy || !o->sent || copied + o->sent > MOST_BYTES || !(o->copy = malloc(o->sent)))
      continue;
    copied += o->sent;
    memcpy(o->copy, (const void *)o->args[o->desc->send_buf], o->sent);
    o->args[o->desc->send_buf] = (long)o->copy;
  }
}

static bool any_put(long win, int target)
{
  for (int i = 0; i < noperations; i++)
    if (is_about(&operations[i], win, target) && operations[i].sent && !operations[i].copy)
      return true;
  return false;
}

static bool is_operation(const struct lg_call *c)
{
  return c->desc->cls == CLS_rma || c->desc->cls == CLS_rma_now || c->desc->cls == CLS_rma_nb;
}

/* MPI_Win_flush_local completes operations at the origin, whose buffers the program may change then; at the target they are complete
 * with MPI_Win_flush or MPI_Win_unlock (MPI-4.0 §12.5.4). */
void lg_start_operations(const struct lg_call *c)
{
  int at = c->desc->win;
  if (!noperations || at < 0 || (is_operation(c) && (c->desc->choices & CHOICE_epoch || !accumulates(c))))
    return;
  long win = c->desc->params[at].ref ? lg_handle_at(c, at, 0) : lg_handle_in(c, at);
  bool flush = c->desc->cls == CLS_win_flush, unlock = c->desc->cls == CLS_win_unlock;
  bool local = flush && c->desc->choices & CHOICE_epoch & lg_perturbing;
  int target = c->desc->peer >= 0 && (flush || unlock) ? lg_int(c, c->desc->peer) : LG_ANY;
  uint64_t value;
  lg_lock_tables();
  if (local && any_put(win, target) && lg_choose(c, CHOICE_epoch, &value))
    copy_puts(win, target);
  start_for(win, target, (flush || unlock) && !(c->desc->choices & CHOICE_epoch));
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

/* sent_bytes is how much of its buffer MPI_Put sends, where that is one piece; 0: it cannot be told, or the call is another one. */
static size_t sent_bytes(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (d->cls != CLS_rma || d->op >= 0 || d->send_buf < 0 || lg_arg_address(c, d->send_buf) == LG_USE_BOTTOM)
    return 0;
  long type = lg_type_handle(c, d->send_type, -1);
  const struct lg_extent *e = lg_type_extent(c, type);
  uint64_t size = lg_type_size(c, type), bytes = lg_count_of(c, d->send_count) * size;
  bool piece = e->true_lb == 0 && size == (uint64_t)e->extent && size == (uint64_t)e->true_extent;
  return piece && is_there((const void *)(uintptr_t)lg_arg_address(c, d->send_buf), bytes) ? bytes : 0;
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
      .sent = sent_bytes(c), .c_win = lg_win_handle(c, c->desc->win),
    };
    keep_args(c, o);
    if (result)
      lg_fill(result, bytes);
    lg_put_instead(c, begin_later, 0);
  } else if (ordered) {
    start_for(win, LG_ANY, false);
  }
  lg_unlock_tables();
}
