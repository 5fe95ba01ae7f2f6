#include "format.h"
#include "identity/comm.h"
#include "identity/freed.h"
#include "identity/scratch.h"
#include "file/rank.h"
#include "mpi/address.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "usage/argument.h"
#include "usage/communicator.h"
#include "usage/constants.h"
#include "usage/datatype.h"
#include "usage/event.h"
#include "usage/length.h"
#include "usage/live.h"
#include "usage/value.h"

/* ---- one value ---- */

static int64_t peer(int v)
{
  if (v >= 0)
    return v;
  return v == lg_fam.any_source ? LG_ANY : v == lg_fam.proc_null ? LG_PROC_NULL : v == lg_fam.root ? LG_USE_ROOT : v;
}

static int64_t comm_value(const struct lg_call *c, struct lg_usage *u, int kind, int64_t handle, int i)
{
  struct lg_comm_ref *r = NULL;
  if (kind == P_comm) {
    long h = c->binding == LG_BIND_C ? handle : lg_mpi_usable() ? lg_fortran_comm((int)handle) : 0;
    if (i == c->desc->comm && c->comm && c->comm->handle == h && !c->comm->freed)
      r = c->comm;
    else
      r = lg_comm_find(LG_HANDLE_COMM, h);
    if (!r)
      return lg_is_null(kind, h) ? LG_USE_NULL : lg_freed_number(kind, h);
  } else {
    int what = kind == P_win ? LG_HANDLE_WIN : LG_HANDLE_FILE;
    long h = lg_fam.handle_bytes == 4 ? (int)handle : lg_handle_kept(c, handle);
    r = lg_comm_find(what, h);
    if (!r)
      return lg_is_null(kind, c->binding == LG_BIND_C ? handle : lg_f2c(kind, (int)handle)) ? LG_USE_NULL : lg_freed_number(kind, h);
  }
  return lg_comm_use(u, r);
}

/* request_value: MPI gives one handle to several requests that were complete at
 * once; live.c tells them apart, by where the program keeps them. */
static int64_t request_value(const struct lg_call *c, struct lg_usage *u, int i, uint32_t k, int64_t handle, bool after)
{
  const struct lg_param *p = &c->desc->params[i];
  long h = c->binding == LG_BIND_C ? handle : lg_f2c(P_request, (int)handle);
  const void *where = p->ref ? lg_arg_place(c, i, k) : NULL;
  bool null = lg_is_null(P_request, h);
  if (after && p->dir == LG_OUT)
    return null ? LG_USE_NULL : !h ? LG_USE_INVALID : lg_live_made(u, h, where);
  if (after)
    lg_live_still(u, k, null);
  return null ? LG_USE_NULL : !h ? LG_USE_INVALID : lg_live_number(u, h, where, k, after);
}

static int64_t object_value(const struct lg_call *c, int kind, int64_t handle)
{
  long h = c->binding == LG_BIND_C ? handle : lg_f2c(kind, (int)handle);
  return lg_is_null(kind, h) ? LG_USE_NULL : h ? h : LG_USE_INVALID;
}

/* type_value: constructors make types that were not there before, under a handle
 * that may have been another's; other functions may hand out one that is known, as MPI_Type_get_contents does in an array. */
static int64_t type_value(const struct lg_call *c, struct lg_usage *u, int i, uint32_t k, int64_t handle, bool made)
{
  bool fortran = c->binding != LG_BIND_C, list = c->desc->params[i].len;
  if (!made)
    return lg_type_index(u, handle, fortran);
  long h = fortran ? lg_f2c(P_datatype, (int)handle) : handle;
  int64_t known = list ? lg_type_contained(lg_type_index(u, lg_arg(c, 0, 0), fortran), k, h) : -1;
  return known >= 0 ? known : lg_type_made(u, h, c->desc->nargs == i + 1 && !list);
}

/* value is the k-th value of parameter i; after: that MPI has written it. */
static inline int64_t value(const struct lg_call *c, struct lg_usage *u, int i, uint32_t k, bool after)
{
  const struct lg_param *p = &c->desc->params[i];
  int64_t v = lg_arg(c, i, k);
  switch (p->kind) {
  case P_rank: return peer((int)v);
  case P_tag: return lg_tag((int)v);
  case P_lock_type: return lg_constant(SET_lock, (int)v);
  case P_amode: return lg_constant(SET_amode, (int)v);
  case P_assert: return lg_constant(SET_assert, (int)v);
  case P_order: return lg_constant(SET_order, (int)v);
  case P_distribution: return lg_constant(SET_distribution, (int)v);
  case P_logical: return v != 0;
  case P_index: return lg_index(c, (int)v);
  case P_comm: case P_win: case P_file: return comm_value(c, u, p->kind, v, i);
  case P_datatype: return type_value(c, u, i, k, v, after && p->dir == LG_OUT);
  case P_request: return request_value(c, u, i, k, v, after);
  case P_message: case P_group: case P_op: case P_info: case P_errhandler: case P_session:
    return object_value(c, p->kind, v);
  default: return v;
  }
}

/* ---- statuses ---- */

static void write_status(int64_t *out, const char *status)
{
  out[0] = peer(lg_status_int(status, lg_fam.status_source));
  out[1] = lg_tag(lg_status_int(status, lg_fam.status_tag));
  out[2] = lg_status_bytes(status);
  out[3] = lg_status_cancelled(status);
}

static bool status_here(const struct lg_call *c, int i)
{
  return c->args[i] && !lg_status_ignored(c);
}

static const char *status_memory(const struct lg_call *c, int i, uint32_t k)
{
  return (const char *)c->args[i] + (size_t)k * (size_t)lg_fam.status_size;
}

/* ---- all of a call ---- */

static void scalar(struct lg_usage *u, int64_t v)
{
  u->v.scalar[u->v.nscalars++] = v;
}

static void scalars(const struct lg_call *c, struct lg_usage *u, int i, bool after)
{
  const struct lg_param *p = &c->desc->params[i];
  if (p->kind == P_buffer)
    return scalar(u, lg_arg_address(c, i));
  if (p->kind == P_status) {
    int64_t s[4] = {LG_USE_NO_STATUS, 0, 0, 0};
    if (status_here(c, i))
      write_status(s, status_memory(c, i, 0));
    for (int k = 0; k < 4; k++)
      scalar(u, s[k]);
    return;
  }
  long at = c->args[lg_arg_at(c, i)];
  if (p->kind == P_pointer)
    return scalar(u, at ? *(const int64_t *)at : 0);
  scalar(u, (p->ref || c->binding != LG_BIND_C) && !at ? LG_USE_INVALID : value(c, u, i, 0, after));
}

static void arrays(const struct lg_call *c, struct lg_usage *u, int i, bool after)
{
  const struct lg_param *p = &c->desc->params[i];
  struct lg_array *a = &u->v.array[u->v.narrays++];
  bool known;
  uint32_t n = lg_length(c, p, &known);
  *a = (struct lg_array){.width = p->kind == P_status ? 4 : 1};
  if (!known || (n && !c->args[i]) || (p->kind == P_status && !status_here(c, i)))
    return;
  a->cut = n * a->width > LG_MAX_VALUES;
  n = a->cut ? LG_MAX_VALUES / a->width : n;
  a->n = n * a->width;
  a->at = u->nvalues;
  int64_t *out = lg_array_room(u, a->n);
  if (!out)
    return;
  a->known = true;
  for (uint32_t k = 0; k < n; k++) {
    if (p->kind == P_status)
      write_status(out + 4 * k, status_memory(c, i, k));
    else
      out[k] = value(c, u, i, k, after);
  }
}

static inline void values(const struct lg_call *c, struct lg_usage *u, bool after)
{
  u->v.nscalars = u->v.narrays = 0;
  const struct lg_param *p = c->desc->params;
  for (int i = 0; p[i].kind; i++) {
    if (!(p[i].recorded & (after ? LG_AFTER : LG_BEFORE)) || lg_arg_at(c, i) < 0)
      continue;
    if (p[i].len)
      arrays(c, u, i, after);
    else
      scalars(c, u, i, after);
  }
}

int lg_result_nowhere(const struct lg_call *c)
{
  const struct lg_param *p = c->desc->params;
  for (int i = 0; p[i].kind; i++) {
    int at = lg_arg_at(c, i);
    if (p[i].dir == LG_OUT && p[i].ref && !p[i].len && p[i].kind <= P_session && at >= 0 && !c->args[at])
      return i;
  }
  return -1;
}

void lg_values_before(struct lg_call *c, struct lg_usage *u)
{
  values(c, u, false);
}

void lg_values_after(struct lg_call *c, struct lg_usage *u)
{
  values(c, u, true);
}
