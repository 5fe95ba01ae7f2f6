/* What is looked at depends on what MPI said: it checks most arguments itself, and an error of another class
 * says that they are as they must be. Arguments that are of no matter in the calling rank are left out. Memory is
 * read as one that may not be there: what ends the process may be that it is not. */
#include "base/mappings.h"
#include "base/peek.h"
#include "calls/argument.h"
#include "calls/buffers.h"
#include "calls/reach.h"
#include "calls/truncated.h"
#include "file/rank.h"
#include "format.h"
#include "identity/comm.h"
#include "identity/request.h"
#include "mpi/address.h"
#include "mpi/extent.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "mpi/symbol.h"
#include "mpi/type.h"
#include "usage/constants.h"

enum { TAGS = 1, RANKS = 2, COUNTS = 4 }; /* what to look at */

static bool faulted; /* the call may have written something before it ended the process */
static int64_t tag_bound = INT64_MAX; /* MPI_TAG_UB; INT64_MAX unknown */

/* keep_types notes the extents of the predefined types. A library with the standard ABI need not have all of them, and would end the job
 * if it was asked about another. */
static void keep_types(void)
{
  uint32_t n = 0;
  if (lg_fam.id == LG_FAMILY_STANDARD)
    return;
  lg_constants_start();
  const long *types = lg_predefined_types(&n);
  for (uint32_t i = 0; i < n; i++)
    lg_extent_predefined(types[i]);
}

void lg_arguments_start(void)
{
  long (*ask)(long, int, void *, int *) = (long (*)(long, int, void *, int *))lg_find_symbol("PMPI_Comm_get_attr");
  const int *bound = NULL;
  int there = 0;
  keep_types();
  if (lg_fam.id == LG_FAMILY_STANDARD)
    return; /* no such library was there to try it with, and a wrong key would end the job */
  if (ask && ask(lg_fam.comm_world, lg_fam.tag_ub, &bound, &there) == 0 && there && bound)
    tag_bound = *bound;
}

static void note(uint32_t bad, int position, int element, int64_t value, int64_t limit)
{
  lg_rank->bad_position = (uint32_t)position;
  lg_rank->bad_element = element;
  lg_rank->bad_value = (uint64_t)value;
  lg_rank->bad_limit = (uint64_t)limit;
  __atomic_store_n(&lg_rank->bad, bad, __ATOMIC_RELEASE);
}

/* matters tells whether MPI reads a count in this rank. */
static bool matters(const struct lg_call *c, int i)
{
  const struct lg_desc *d = c->desc;
  bool sends = (d->traits & TRAIT_sends) != 0, out = sends && i == d->send_count, in = i == d->recv_count;
  if (i != d->count && !out && !in)
    return false;
  if (out != in && d->traits & (in ? TRAIT_to_root : TRAIT_from_root) && !lg_is_root(c))
    return false;
  return !(out && d->in_place_count >= 0 && lg_in_place(c, d->send_buf)) && !(in && !out && sends && lg_in_place(c, d->recv_buf));
}

/* elements is how many numbers for each member an array has that MPI reads in this rank; 0: it is none. */
static int elements(const struct lg_call *c, int i)
{
  const struct lg_param *p = &c->desc->params[i];
  if (p->dir != LG_IN || (p->len != LG_GROUP_SIZE && p->len != LG_LOCAL_SIZE) || !c->comm || c->comm->what != LG_HANDLE_COMM)
    return 0;
  if ((p->only == LG_AT_ROOT && !lg_is_root(c)) || (p->only == LG_UNLESS_IN_PLACE && lg_in_place(c, p->by)))
    return 0;
  return p->len == LG_GROUP_SIZE && c->comm->flags & LG_COMM_INTER ? c->comm->remote_size : c->comm->size;
}

/* overflowed tells whether displacement k is what an int becomes to which the displacement before it and its count were added; sum:
 * what they are. */
static bool overflowed(const struct lg_call *c, int i, int k, int64_t v, int64_t *sum)
{
  int64_t before, count;
  if (k == 0 || c->desc->params[i].kind != P_int || (i != c->desc->send_displs && i != c->desc->recv_displs) ||
      !lg_number(c, i, k - 1, &before) || !lg_number(c, i - 1, k - 1, &count) || before < 0 || count < 0)
    return false;
  *sum = before + count;
  return *sum > INT32_MAX && (int32_t)*sum == v;
}

/* note_negative notes a number below zero: element k of an array, or, for k < 0, one that is none. What is in memory behind a buffer that a
 * call writes may have been overwritten by it. */
static void note_negative(const struct lg_call *c, int i, int k, int64_t v)
{
  const struct lg_desc *d = c->desc;
  int written = d->recv_buf >= 0 ? d->recv_buf : d->traits & TRAIT_sends && d->cls == CLS_coll ? d->send_buf : -1;
  bool overwritten = faulted && written >= 0 && lg_in_memory(c, i) &&
                     lg_is_behind((uint64_t)c->args[i], (uint64_t)lg_arg_buffer(c, written));
  note(overwritten ? LG_BAD_OVERWRITTEN : LG_BAD_NEGATIVE, i, k, v, -1);
}

/* check_array notes the first number below zero: a count or a displacement. */
static bool check_array(const struct lg_call *c, int i)
{
  int64_t v, sum;
  for (int k = 0, n = elements(c, i); k < n && lg_number(c, i, k, &v); k++)
    if (v < 0) {
      if (overflowed(c, i, k, v, &sum))
        note(LG_BAD_OVERFLOW, i, k, v, sum);
      else
        note_negative(c, i, k, v);
      return true;
    }
  return false;
}

static bool check_rank(const struct lg_call *c, int i, int64_t v)
{
  if (!c->comm || c->comm->what != LG_HANDLE_COMM || c->comm->size <= 0)
    return false;
  int size = c->comm->flags & LG_COMM_INTER ? c->comm->remote_size : c->comm->size;
  if (v < 0 && lg_peer((int)v) == LG_NONE && v != lg_fam.root)
    note(LG_BAD_NEGATIVE, i, -1, v, size);
  else if (v >= size)
    note(LG_BAD_LARGE, i, -1, v, size);
  else
    return false;
  return true;
}

static bool check_tag(int i, int64_t v)
{
  if (v < 0 && lg_tag((int)v) != LG_ANY)
    note(LG_BAD_NEGATIVE, i, -1, v, tag_bound == INT64_MAX ? -1 : tag_bound);
  else if (v > tag_bound)
    note(LG_BAD_LARGE, i, -1, v, tag_bound);
  else
    return false;
  return true;
}

/* check notes the argument if it is bad. */
static bool check(const struct lg_call *c, int i, int what)
{
  const struct lg_param *p = &c->desc->params[i];
  int64_t v;
  bool number = p->kind == P_int || p->kind == P_count || p->kind == P_aint;
  if (p->len != LG_ONE)
    return number && what & COUNTS && check_array(c, i);
  if (p->dir != LG_IN || !lg_number(c, i, -1, &v))
    return false;
  switch (p->kind) {
  case P_tag: return what & TAGS && check_tag(i, v);
  case P_rank: return what & RANKS && check_rank(c, i, v);
  default:
    if (!number || !(what & COUNTS) || v >= 0 || !matters(c, i))
      return false;
    note_negative(c, i, -1, v);
    return true;
  }
}

static void check_all(const struct lg_call *c, int what)
{
  for (int i = 0; i < c->desc->nargs; i++)
    if (check(c, i, what))
      return;
}

/* note_short notes how long a message was that a receive had too short a buffer for. Statuses have been filled in by now. */
static void note_short(const struct lg_thr *t, const struct lg_call *c, int class)
{
  struct lg_truncated found;
  if (!lg_find_truncated(t, c, class, &found) || found.room < 0)
    return;
  note(LG_BAD_SHORT, found.position, found.element, found.bytes > found.room ? found.bytes : -1, found.room);
}

/* current is the call that the thread is in; NULL: none, or it was left by longjmp. */
static const struct lg_call *current(const struct lg_thr *t)
{
  return t->pub->in_mpi && lg_is_outer(t) ? t->call : NULL;
}

/* ---- handles ---- */

/* note_freed notes a handle of a communicator, window or datatype that the process freed. */
static bool note_freed(const struct lg_thr *t, int i, int k, long handle, uint32_t thread, uint32_t state)
{
  note(LG_BAD_FREED, i, k, handle, thread == t->pub->index && state != LG_NO_INDEX ? (int64_t)state : -1);
  return true;
}

/* is_nowhere: what is a pointer points nowhere. */
static bool is_nowhere(long handle)
{
  char byte;
  return lg_fam.handle_bytes == 8 && lg_fam.id == LG_FAMILY_OPENMPI && !lg_peek((uint64_t)handle, &byte, 1);
}

/* check_comm looks at the communicator or window that the call names, which is not known. */
static bool check_comm(const struct lg_thr *t, const struct lg_call *c, int i, bool refused)
{
  int what = c->desc->params[i].kind == P_win ? LG_HANDLE_WIN : LG_HANDLE_COMM;
  long handle = c->st->comm_arg; /* as C has it */
  if (c->comm || (i != c->desc->comm && i != c->desc->win) || lg_comm_find(what, handle))
    return false;
  const struct lg_comm_ref *r = lg_comm_find_freed(what, handle);
  if (lg_is_null(c->desc->params[i].kind, handle))
    note(LG_BAD_NULL, i, -1, 0, -1);
  else if (r)
    return note_freed(t, i, -1, handle, r->freed_thread, r->freed_state);
  else if (refused || is_nowhere(handle))
    note(LG_BAD_NO_HANDLE, i, -1, handle, -1);
  else
    return false;
  return true;
}

static bool check_type(const struct lg_thr *t, const struct lg_call *c, int i, bool refused)
{
  struct lg_extent e;
  long handle = lg_reach_type(c, i, -1);
  uint32_t freed = lg_extent_freed_in(handle, t->pub->index);
  if (c->desc->params[i].len != LG_ONE || c->desc->params[i].dir != LG_IN || lg_extent_known(handle, &e))
    return false;
  if (lg_extent_of_null(handle))
    note(LG_BAD_NULL, i, -1, 0, -1);
  else if (freed != LG_NOT_FREED)
    return note_freed(t, i, -1, handle, t->pub->index, freed);
  else if (lg_fam.id != LG_FAMILY_STANDARD && c->binding == LG_BIND_C && (refused || is_nowhere(handle)))
    note(LG_BAD_NO_HANDLE, i, -1, handle, -1);
  else
    return false;
  return true;
}

/* check_requests looks at those that the call completes or starts. One of an operation with MPI_PROC_NULL is not followed, so it has to
 * point nowhere if MPI does not say that it is wrong. */
static bool check_requests(const struct lg_thr *t, const struct lg_call *c, int i, bool refused)
{
  bool array = c->desc->params[i].len != LG_ONE;
  if (i != c->desc->request || !c->n || lg_rank->lost_requests)
    return false;
  for (int k = 0; k < c->n; k++) {
    long handle = c->n == 1 ? c->handle : t->handles[k];
    if (lg_request_null(c, handle) || lg_req_get(LG_KEY_REQUEST, handle) || !(refused || (c->binding == LG_BIND_C && is_nowhere(handle))))
      continue;
    note(LG_BAD_NO_HANDLE, i, array ? k : -1, handle, -1);
    return true;
  }
  return false;
}

/* check_handles notes the first handle that is wrong; kind 0: of any kind. */
static bool check_handles(const struct lg_thr *t, const struct lg_call *c, int kind)
{
  for (int i = 0; i < c->desc->nargs; i++) {
    int is = c->desc->params[i].kind;
    if ((kind && is != kind) || lg_arg_at(c, i) != i)
      continue;
    if ((is == P_comm || is == P_win) ? check_comm(t, c, i, kind != 0)
        : is == P_datatype            ? check_type(t, c, i, kind != 0)
        : is == P_request             ? check_requests(t, c, i, kind != 0)
                                      : false)
      return true;
  }
  return false;
}

/* check_op notes a null operation. */
static void check_op(const struct lg_call *c)
{
  int i = c->desc->op;
  if (c->desc->traits & TRAIT_sends && i >= 0 && c->binding == LG_BIND_C && lg_is_null(P_op, lg_handle_in(c, i)))
    note(LG_BAD_NULL, i, -1, 0, -1);
}

void lg_note_refused(const struct lg_thr *t, uint32_t class)
{
  const struct lg_call *c = current(t);
  int is = (int)class;
  if (!c)
    return;
  if (is == lg_fam.err_tag)
    check_all(c, TAGS);
  else if (is == lg_fam.err_rank || is == lg_fam.err_root)
    check_all(c, RANKS);
  else if (is == lg_fam.err_count || is == lg_fam.err_arg)
    check_all(c, COUNTS);
  else if (is == lg_fam.err_truncate || is == lg_fam.err_in_status)
    note_short(t, c, is);
  else if (is == lg_fam.err_comm)
    check_handles(t, c, P_comm);
  else if (is == lg_fam.err_type)
    check_handles(t, c, P_datatype);
  else if (is == lg_fam.err_request)
    check_handles(t, c, P_request);
  else if (is == lg_fam.err_op)
    check_op(c);
  else if (c->desc->win >= 0)
    check_handles(t, c, P_win);
  if (is == lg_fam.err_buffer || is == lg_fam.err_other || is == lg_fam.err_intern || is == lg_fam.err_unknown) {
    lg_mappings_read();
    lg_note_buffers(t, c, t->outer_cfa);
  }
}

void lg_note_crashed(const struct lg_thr *t, uint64_t sp)
{
  const struct lg_call *c = current(t);
  if (__atomic_exchange_n(&faulted, true, __ATOMIC_ACQ_REL))
    return;
  lg_mappings_read();
  if (c && !check_handles(t, c, 0))
    check_all(c, COUNTS);
  lg_note_buffers(t, c, c ? t->outer_cfa : sp);
}
