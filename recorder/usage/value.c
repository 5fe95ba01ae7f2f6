/* The values of a call's arguments, read out by the table of parameters and put
 * into one form for every MPI and language: communicators and types by number,
 * constants of ranks and tags as in the rest of the file, truth as 0 and 1. A
 * handle is never given to MPI unless it is known to be one. */
#define _GNU_SOURCE
#include <string.h>
#include "operation.h"
#include "usage.h"

enum { IN = 1, OUT = 2, INOUT = 3 };                 /* mpi.Direction */
enum { ONE, UNRECORDED, BY_PARAM, TRIPLES, SUM_OF, LAST_OF, GROUP_SIZE, LOCAL_SIZE, SOURCES, DESTS, DIMS, CONTENTS }; /* mpi.LengthKind */
enum { ALWAYS, AT_ROOT, UNLESS_IN_PLACE };           /* mpi.Condition */

/* ---- arguments ---- */

int lg_arg_at(const struct lg_call *c, int i)
{
  bool no_argv = c->binding != LG_BIND_C && c->desc->nargs >= 2 && c->desc->params[0].kind == P_other && c->desc->params[1].kind == P_other;
  return no_argv ? i - 2 : i;
}

static bool wide(const struct lg_call *c, const struct lg_param *p)
{
  return (p->kind == P_count || p->kind == P_aint || p->kind == P_offset) && !(p->fortran_int && c->binding != LG_BIND_C);
}

static int64_t number(const struct lg_call *c, const struct lg_param *p, const void *from, uint32_t k)
{
  return wide(c, p) ? ((const int64_t *)from)[k] : ((const int32_t *)from)[k];
}

/* raw is the k-th number or handle of a parameter, as it was given. */
static int64_t raw(const struct lg_call *c, int i, uint32_t k)
{
  const struct lg_param *p = &c->desc->params[i];
  long a = c->args[lg_arg_at(c, i)];
  bool handle = p->kind >= P_comm && p->kind <= P_session;
  if (c->binding == LG_BIND_C && !p->ref)
    return (handle && lg_fam.handle_bytes == 8 && p->kind != P_file) || wide(c, p) || p->kind == P_file ? a : (int)a;
  if (handle && c->binding == LG_BIND_C && (lg_fam.handle_bytes == 8 || p->kind == P_file))
    return ((const long *)a)[k];
  return number(c, p, (const void *)a, k);
}

/* lg_arg_place is where the k-th of the handles is that were given by pointer. */
const void *lg_arg_place(const struct lg_call *c, int i, uint32_t k)
{
  size_t bytes = c->binding == LG_BIND_C ? (size_t)lg_fam.handle_bytes : sizeof(int);
  return (const char *)c->args[lg_arg_at(c, i)] + k * bytes;
}

int64_t lg_arg(const struct lg_call *c, int i)
{
  return raw(c, i, 0);
}

/* ---- addresses ---- */

struct known_address { /* of a variable that Fortran passes for a constant */
  const void *at[4];
  const void *const *pointed; /* where MPI keeps it, once a Fortran call was made */
};

static struct known_address bottom, in_place;

static void find_address(struct known_address *k, const char *const *names, const char *pointed)
{
  for (int i = 0; i < 4; i++)
    k->at[i] = lg_visible(names[i]);
  k->pointed = lg_visible(pointed);
}

/* lg_values_start finds what Fortran passes for MPI_BOTTOM and MPI_IN_PLACE. */
void lg_values_start(void)
{
  static const char *const bottoms[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom", "MPIR_F08_MPI_BOTTOM", "mpi_fortran_bottom__"};
  static const char *const in_places[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place", "MPIR_F08_MPI_IN_PLACE", "mpi_fortran_in_place__"};
  find_address(&bottom, bottoms, "MPIR_F_MPI_BOTTOM");
  find_address(&in_place, in_places, "MPIR_F_MPI_IN_PLACE");
}

static bool is_address(const struct known_address *k, const void *p)
{
  for (int i = 0; i < 4; i++)
    if (k->at[i] && k->at[i] == p)
      return true;
  return k->pointed && *k->pointed && *k->pointed == p;
}

/* lg_arg_buffer is an address that was given. A Fortran array may come as a
 * descriptor, which begins with it. */
const void *lg_arg_buffer(const struct lg_call *c, int i)
{
  const void *p = (const void *)c->args[lg_arg_at(c, i)];
  return c->binding == LG_BIND_F08TS && p ? *(const void *const *)p : p;
}

int64_t lg_arg_address(const struct lg_call *c, int i)
{
  const void *p = lg_arg_buffer(c, i);
  if (c->binding == LG_BIND_C)
    return p == NULL ? LG_USE_BOTTOM : (long)p == lg_fam.in_place ? LG_USE_IN_PLACE : (int64_t)p;
  return is_address(&bottom, p) ? LG_USE_BOTTOM : is_address(&in_place, p) ? LG_USE_IN_PLACE : (int64_t)p;
}

bool lg_in_place(const struct lg_call *c, int i)
{
  return lg_arg_address(c, i) == LG_USE_IN_PLACE;
}

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
      return lg_is_null(kind, h) ? LG_USE_NULL : lg_gone_number(kind, h);
  } else {
    int what = kind == P_win ? LG_HANDLE_WIN : LG_HANDLE_FILE;
    long h = lg_fam.handle_bytes == 4 ? (int)handle : c->binding != LG_BIND_C ? handle | 1l << 58 : handle; /* as family.c has them */
    r = lg_comm_find(what, h);
    if (!r)
      return lg_is_null(kind, c->binding == LG_BIND_C ? handle : lg_f2c(kind, (int)handle)) ? LG_USE_NULL : lg_gone_number(kind, h);
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
  if (after && p->dir == OUT)
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
 * that may have been another's; other functions may hand out one that is known. */
static int64_t type_value(const struct lg_call *c, struct lg_usage *u, int i, int64_t handle, bool made)
{
  bool fortran = c->binding != LG_BIND_C;
  if (!made)
    return lg_type_index(u, handle, fortran);
  return lg_type_made(u, fortran ? lg_f2c(P_datatype, (int)handle) : handle, c->desc->nargs == i + 1);
}

/* value is the k-th value of parameter i; after: that MPI has written it. */
static inline int64_t value(const struct lg_call *c, struct lg_usage *u, int i, uint32_t k, bool after)
{
  const struct lg_param *p = &c->desc->params[i];
  int64_t v = raw(c, i, k);
  switch (p->kind) {
  case P_rank: return peer((int)v);
  case P_tag: return lg_tag((int)v);
  case P_logical: return v != 0;
  case P_index: return lg_index(c, (int)v);
  case P_comm: case P_win: case P_file: return comm_value(c, u, p->kind, v, i);
  case P_datatype: return type_value(c, u, i, v, after && p->dir == OUT);
  case P_request: return request_value(c, u, i, k, v, after);
  case P_message: case P_group: case P_op: case P_info: case P_errhandler: case P_session:
    return object_value(c, p->kind, v);
  default: return v;
  }
}

/* ---- lengths ---- */

struct lg_comm_ref *lg_comm_named(const struct lg_call *c)
{
  if (c->desc->comm < 0)
    return NULL;
  return c->comm && c->comm->what == LG_HANDLE_COMM ? c->comm : lg_comm_find(LG_HANDLE_COMM, lg_comm_handle(c, c->desc->comm));
}

/* topology asks once how many neighbours and dimensions the communicator has, as
 * its arrays have them: one that is there twice counts twice. */
static void topology(struct lg_comm_ref *r)
{
  struct lg_topology t;
  r->sources = r->dests = r->dims = 1;
  if (!lg_mpi_usable() || !lg_topology_of(r->handle, r->rank, &t))
    return;
  r->dims += t.dims;
  r->sources += t.in;
  r->dests += t.out;
}

static int64_t of_comm(const struct lg_call *c, int len)
{
  struct lg_comm_ref *r = lg_comm_named(c);
  if (!r)
    return -1;
  if (len >= SOURCES && !r->sources)
    topology(r);
  switch (len) {
  case GROUP_SIZE: return r->flags & LG_COMM_INTER ? r->remote_size : r->size;
  case LOCAL_SIZE: return r->size;
  case SOURCES: return r->sources - 1;
  case DESTS: return r->dests - 1;
  default: return r->dims - 1;
  }
}

static bool at_root(const struct lg_call *c, int i)
{
  struct lg_comm_ref *r = lg_comm_named(c);
  int root = (int)raw(c, i, 0);
  return r && (r->flags & LG_COMM_INTER ? root == lg_fam.root : root == r->rank);
}

static int64_t sum_of_array(const struct lg_call *c, int i)
{
  bool known;
  int64_t total = 0;
  uint32_t n = lg_length(c, &c->desc->params[i], &known);
  for (uint32_t k = 0; known && k < n; k++)
    total += raw(c, i, k);
  return known ? total : -1;
}

static int64_t last(const struct lg_call *c, int i)
{
  bool known;
  uint32_t n = lg_length(c, &c->desc->params[i], &known);
  return !known ? -1 : n ? raw(c, i, n - 1) : 0;
}

/* lg_length is how many values an array has; known is false if it is not to be
 * read. */
uint32_t lg_length(const struct lg_call *c, const struct lg_param *p, bool *known)
{
  int64_t n;
  *known = false;
  if ((p->only == AT_ROOT && !at_root(c, p->by)) || (p->only == UNLESS_IN_PLACE && lg_arg_address(c, p->by) == LG_USE_IN_PLACE))
    return 0;
  switch (p->len) {
  case UNRECORDED: return 0;
  case ONE: n = 1; break;
  case BY_PARAM: n = raw(c, p->by, 0); break;
  case TRIPLES: n = 3 * raw(c, p->by, 0); break;
  case SUM_OF: n = sum_of_array(c, p->by); break;
  case LAST_OF: n = last(c, p->by); break;
  case CONTENTS: n = lg_type_contents(c->binding == LG_BIND_C ? raw(c, 0, 0) : lg_f2c(P_datatype, (int)raw(c, 0, 0))); break;
  default: n = of_comm(c, p->len); break;
  }
  *known = n >= 0 && n <= UINT32_MAX;
  return *known ? (uint32_t)n : 0;
}

/* ---- statuses ---- */

static void put_status(int64_t *out, const char *status)
{
  out[0] = peer(status_int(status, lg_fam.status_source));
  out[1] = lg_tag(status_int(status, lg_fam.status_tag));
  out[2] = lg_status_bytes(status);
  out[3] = (status_int(status, lg_fam.status_cancelled) & lg_fam.status_cancel_mask) != 0;
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
      put_status(s, status_memory(c, i, 0));
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
  int64_t *out = lg_use_room(u, a->n);
  if (!out)
    return;
  a->known = true;
  for (uint32_t k = 0; k < n; k++) {
    if (p->kind == P_status)
      put_status(out + 4 * k, status_memory(c, i, k));
    else
      out[k] = value(c, u, i, k, after);
  }
}

static inline void values(const struct lg_call *c, struct lg_usage *u, bool after)
{
  u->v.nscalars = u->v.narrays = 0;
  const struct lg_param *p = c->desc->params;
  for (int i = 0; p[i].kind; i++) {
    if (!(p[i].recorded & (after ? 2 : 1)) || lg_arg_at(c, i) < 0)
      continue;
    if (p[i].len)
      arrays(c, u, i, after);
    else
      scalars(c, u, i, after);
  }
}

void lg_values_before(struct lg_call *c, struct lg_usage *u)
{
  values(c, u, false);
}

void lg_values_after(struct lg_call *c, struct lg_usage *u)
{
  values(c, u, true);
}
