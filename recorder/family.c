/* The two MPI ABIs of today and how to read them: OpenMPI (4 and 5), and the
 * MPICH ABI with Intel MPI, MVAPICH and Cray MPICH. Nothing here comes from an
 * mpi.h; the values are the published ABIs'. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

struct lg_family lg_fam;
static const void *status_ignore[8]; /* addresses Fortran passes for it */
static const void *const *ignore_at[2]; /* where MPI keeps such an address, once a Fortran call was made */

/* find_in asks one loaded object, so that an MPI loaded with RTLD_LOCAL (as
 * Python does) is found too. */
struct search {
  const char *name;
  const void *self;
  void *found;
};

static int find_in(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct search *s = arg;
  (void)size;
  if (!info->dlpi_name || !*info->dlpi_name || !strstr(info->dlpi_name, "mpi"))
    return 0;
  void *h = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!h)
    return 0;
  void *p = dlsym(h, s->name);
  Dl_info where;
  if (p && dladdr(p, &where) && where.dli_fbase != s->self)
    s->found = p;
  dlclose(h);
  return s->found != NULL;
}

void *lg_find_symbol(const char *name)
{
  void *p = dlsym(RTLD_NEXT, name);
  if (p)
    return p;
  Dl_info self;
  struct search s = {.name = name};
  if (dladdr((void *)lg_find_symbol, &self))
    s.self = self.dli_fbase;
  dl_iterate_phdr(find_in, &s);
  return s.found;
}

static long missing(void)
{
  return 16; /* an error class of every MPI; the program asked for a function its MPI lacks */
}

/* lg_resolve finds what a wrapper forwards to: the profiling entry, or where a
 * binding has none, the entry of the same name behind ours. */
void *lg_resolve(int entry)
{
  const char *name = lg_entry_names[entry];
  char other[96];
  void *p = lg_find_symbol(name);
  if (!p && strncmp(name, "pmpi_", 5) == 0) { /* MPICH's mpi_f08 */
    snprintf(other, sizeof other, "pmpir_%s", name + 5);
    p = lg_find_symbol(other);
  }
  if (!p)
    p = lg_find_symbol(name + 1);
  if (!p) {
    fprintf(stderr, "laggard: this MPI has no %s\n", name + 1);
    p = (void *)missing;
  }
  __atomic_store_n(&lg_real[entry], p, __ATOMIC_RELAXED);
  return p;
}

void *lg_visible(const char *name)
{
  void *p = dlsym(RTLD_DEFAULT, name); /* data may have been copied into the program */
  return p ? p : lg_find_symbol(name);
}

/* Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are addresses of common
 * blocks and module variables. */
static void fortran_ignores(void)
{
  static const char *const names[] = {
      "mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_", "mpi_fortran_status_ignore", "mpi_fortran_statuses_ignore",
      "mpifcmb5_", "mpifcmb9_", "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ",
  };
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    status_ignore[i] = lg_visible(names[i]);
  ignore_at[0] = lg_visible("MPI_F_STATUS_IGNORE");
  ignore_at[1] = lg_visible("MPI_F_STATUSES_IGNORE");
}

bool lg_status_ignored(const struct lg_call *c)
{
  int i = c->desc->status;
  if (i < 0)
    return false;
  if (c->binding == LG_BIND_C)
    return c->args[i] == lg_fam.status_ignore;
  for (unsigned k = 0; k < sizeof status_ignore / sizeof *status_ignore; k++)
    if (status_ignore[k] && (const void *)c->args[i] == status_ignore[k])
      return true;
  for (int k = 0; k < 2; k++)
    if (ignore_at[k] && *ignore_at[k] && (const void *)c->args[i] == *ignore_at[k])
      return true;
  return false;
}

static void openmpi(void)
{
  lg_fam = (struct lg_family){
      .id = 1, .handle_bytes = 8, .any_source = -1, .any_tag = -1, .proc_null = -2, .undefined = -32766,
      .status_size = 24, .status_source = 0, .status_tag = 4, .status_cancelled = 12, .status_cancel_mask = ~0, .status_ignore = 0,
      .in_place = 1, .comm_world = (long)lg_visible("ompi_mpi_comm_world"), .comm_self = (long)lg_visible("ompi_mpi_comm_self"),
      .comm_null = (long)lg_visible("ompi_mpi_comm_null"), .request_null = (long)lg_visible("ompi_request_null"),
      .type_null = (long)lg_visible("ompi_mpi_datatype_null"), .op_null = (long)lg_visible("ompi_mpi_op_no_op"),
      .root = -4, .err_in_status = 18, .class_mask = ~0, .combiner_named = 0,
      .order_fortran = 1, .lock_exclusive = 1, .topo_cart = 1, .topo_graph = 2, .topo_dist_graph = 3};
}

static void mpich(void)
{
  lg_fam = (struct lg_family){
      .id = 2, .handle_bytes = 4, .any_source = -2, .any_tag = -1, .proc_null = -1, .undefined = -32766,
      .status_size = 20, .status_source = 8, .status_tag = 12, .status_cancelled = 4, .status_cancel_mask = 1, .status_ignore = 1,
      .in_place = -1, .comm_world = 0x44000000, .comm_self = 0x44000001, .comm_null = 0x04000000, .request_null = 0x2c000000,
      .type_null = 0x0c000000, .op_null = 0x5800000e,
      .root = -3, .err_in_status = 17, .class_mask = 0x7f, .combiner_named = 1,
      .order_fortran = 57, .lock_exclusive = 234, .topo_graph = 1, .topo_cart = 2, .topo_dist_graph = 3};
}

bool lg_family_detect(void)
{
  if (lg_visible("ompi_mpi_comm_world"))
    openmpi();
  else if (lg_find_symbol("PMPI_Comm_rank"))
    mpich();
  else
    return false;
  fortran_ignores();
  return true;
}

/* MPICH splits the count, and keeps in the lowest bit of its upper half whether
 * the operation was cancelled. */
int64_t lg_status_bytes(const char *status)
{
  uint32_t half[2];
  int64_t whole;
  if (lg_fam.id == 1) {
    memcpy(&whole, status + 16, sizeof whole);
    return whole;
  }
  memcpy(half, status, sizeof half);
  return (int64_t)((uint64_t)(half[1] >> 1) << 32 | half[0]);
}

int lg_peer(int peer)
{
  if (peer >= 0)
    return peer;
  if (peer == lg_fam.any_source)
    return LG_ANY;
  return peer == lg_fam.proc_null ? LG_PROC_NULL : LG_NONE;
}

int lg_tag(int tag)
{
  return tag == lg_fam.any_tag ? LG_ANY : tag;
}

/* gone tells whether the k-th request of the call is null now and was not before. */
static bool gone(const struct lg_call *c, int k)
{
  if (k < 0 || k >= c->n)
    return false;
  return !lg_request_null(c, c->n > 1 ? c->thr->handles[k] : c->handle) && lg_request_null(c, lg_handle_at(c, c->desc->request, k));
}

/* lg_index is an index of a request, from 0, that MPI returned; undefined if it
 * is MPI_UNDEFINED. MPICH 4.0 adds one to that in Fortran, and forgets to in
 * mpi_f08: there a 0, or which request is gone, tells whether it counts from 0. */
int lg_index(const struct lg_call *c, int v)
{
  static int first = -1; /* index of the first request in mpi_f08 of MPICH; -1 not known yet */
  if (c->binding == LG_BIND_C)
    return v;
  if (v == lg_fam.undefined || v == lg_fam.undefined + 1)
    return lg_fam.undefined;
  if (lg_fam.id != 2 || c->binding < LG_BIND_F08)
    return v - 1;
  if (first < 0 && (v == 0 || gone(c, v) != gone(c, v - 1)))
    first = v == 0 || gone(c, v) ? 0 : 1;
  return first == 0 ? v : v - 1;
}

/* ---- handles as arguments ---- */

long lg_fortran_comm(int handle)
{
  if (lg_fam.handle_bytes == 4)
    return handle;
  static struct {
    int handle;
    uint32_t gen;
    long c;
  } cache[64];
  static long (*f2c)(long);
  unsigned i = (unsigned)handle % 64;
  if (cache[i].c && cache[i].handle == handle && cache[i].gen == lg_comm_gen)
    return cache[i].c;
  if (!f2c)
    f2c = (long (*)(long))lg_find_symbol("PMPI_Comm_f2c");
  if (!f2c)
    return 0;
  long c = f2c(handle);
  if (!lg_shared) {
    cache[i].c = c;
    cache[i].handle = handle;
    cache[i].gen = lg_comm_gen;
  }
  return c;
}

long lg_comm_handle(const struct lg_call *c, int i)
{
  if (c->binding != LG_BIND_C)
    return lg_fortran_comm(*(int *)c->args[i]);
  return lg_fam.handle_bytes == 4 ? (int)c->args[i] : c->args[i];
}

long lg_comm_made_handle(const struct lg_call *c, int i)
{
  const void *p = (const void *)c->args[i];
  if (c->binding != LG_BIND_C)
    return lg_fortran_comm(*(const int *)p);
  return lg_fam.handle_bytes == 4 ? *(const int *)p : *(const long *)p;
}

/* Fortran handles of other kinds are kept apart from C handles, not converted:
 * requests, messages, windows and files are used where they were made. */
static long tagged(const struct lg_call *c, long handle)
{
  return c->binding != LG_BIND_C && lg_fam.handle_bytes == 8 ? handle | 1l << 58 : handle;
}

long lg_handle_in(const struct lg_call *c, int i)
{
  if (c->binding != LG_BIND_C)
    return tagged(c, *(int *)c->args[i]);
  return lg_fam.handle_bytes == 4 ? (int)c->args[i] : c->args[i];
}

long lg_handle_at(const struct lg_call *c, int i, int k)
{
  const void *p = (const void *)c->args[i];
  if (unlikely(!p)) /* an error that MPI will tell */
    return lg_fam.request_null;
  if (c->binding != LG_BIND_C || lg_fam.handle_bytes == 4)
    return tagged(c, ((const int *)p)[k]);
  return ((const long *)p)[k];
}

bool lg_request_null(const struct lg_call *c, long handle)
{
  if (c->binding != LG_BIND_C && lg_fam.handle_bytes == 8)
    return handle == tagged(c, 0); /* OpenMPI numbers it first */
  return handle == lg_fam.request_null;
}

/* c_handle is a Fortran handle as C has it. */
static long c_handle(int handle, const char *f2c_name)
{
  if (lg_fam.handle_bytes == 4)
    return handle;
  long (*f2c)(long) = (long (*)(long))lg_find_symbol(f2c_name);
  return f2c ? f2c(handle) : 0;
}

static long by_value(const struct lg_call *c, int i, const char *f2c_name)
{
  if (c->binding != LG_BIND_C)
    return c_handle(*(int *)c->args[i], f2c_name);
  return lg_fam.handle_bytes == 4 ? (int)c->args[i] : c->args[i];
}

/* Groups and windows as C has them, to be used at once and not kept. */
long lg_group_handle(const struct lg_call *c, int i)
{
  return by_value(c, i, "PMPI_Group_f2c");
}

long lg_win_handle(const struct lg_call *c, int i)
{
  return by_value(c, i, "PMPI_Win_f2c");
}

long lg_session_handle(const struct lg_call *c, int i)
{
  const void *p = (const void *)c->args[i];
  if (c->binding != LG_BIND_C)
    return c_handle(*(const int *)p, "PMPI_Session_f2c");
  return lg_fam.handle_bytes == 4 ? *(const int *)p : *(const long *)p;
}

long lg_op_handle(const struct lg_call *c, int i)
{
  return by_value(c, i, "PMPI_Op_f2c");
}

/* Datatypes are known by what the program passes: a Fortran handle is converted
 * only to ask for its size. */
long lg_type_handle(const struct lg_call *c, int i, int k)
{
  return k < 0 ? lg_handle_in(c, i) : lg_handle_at(c, i, k);
}

long lg_type_size(const struct lg_call *c, long handle)
{
  static long (*ask)(long, int *), (*ask_wide)(long, long *);
  long size = 0;
  int narrow = 0;
  if (!ask && !ask_wide) {
    ask_wide = (long (*)(long, long *))lg_find_symbol("PMPI_Type_size_x");
    ask = (long (*)(long, int *))lg_find_symbol("PMPI_Type_size");
  }
  if (c->binding != LG_BIND_C && lg_fam.handle_bytes == 8)
    handle = c_handle((int)handle, "PMPI_Type_f2c");
  if (!handle || handle == lg_fam.type_null)
    return 0;
  if (ask_wide)
    return ask_wide(handle, &size) == 0 && size > 0 ? size : 0;
  return ask && ask(handle, &narrow) == 0 && narrow > 0 ? narrow : 0;
}

void lg_type_ask_extent(const struct lg_call *c, long handle, struct lg_extent *out)
{
  static long (*ask)(long, long *, long *), (*ask_true)(long, long *, long *);
  long lb;
  if (!ask) {
    ask = (long (*)(long, long *, long *))lg_find_symbol("PMPI_Type_get_extent");
    ask_true = (long (*)(long, long *, long *))lg_find_symbol("PMPI_Type_get_true_extent");
  }
  if (c->binding != LG_BIND_C && lg_fam.handle_bytes == 8)
    handle = c_handle((int)handle, "PMPI_Type_f2c");
  *out = (struct lg_extent){0};
  if (!handle || handle == lg_fam.type_null || !ask || !ask_true)
    return;
  if (ask(handle, &lb, &out->extent) || ask_true(handle, &out->true_lb, &out->true_extent))
    *out = (struct lg_extent){0};
}

