#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include "base/locks.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/symbol.h"

#define FORTRAN_MARK (1l << 58) /* in a Fortran handle that is kept: no C handle has this bit */
#define FORTRAN_COMMS 64

uint32_t lg_comm_gen = 1;

static lg_converter find_converter(const char *object)
{
  char name[64];
  snprintf(name, sizeof name, lg_fam.id == LG_FAMILY_STANDARD ? "PMPI_%s_fromint" : "PMPI_%s_f2c", object);
  return (lg_converter)lg_find_symbol(name);
}

/* Those that are found stay known, as the loader takes microseconds to find one. */
lg_converter lg_from_fortran(const char *object)
{
  static const char *const objects[] = {"Comm", "Type", "Request", "Op", "Group", "Win", "File", "Info", "Message", "Session", "Errhandler"};
  static lg_converter known[sizeof objects / sizeof *objects];
  unsigned i = 0, n = sizeof objects / sizeof *objects;
  while (i < n && strcmp(objects[i], object) != 0)
    i++;
  lg_converter f = i < n ? __atomic_load_n(&known[i], __ATOMIC_RELAXED) : NULL;
  if (f)
    return f;
  f = find_converter(object);
  if (i < n)
    __atomic_store_n(&known[i], f, __ATOMIC_RELAXED);
  return f;
}

long lg_fortran_comm(int handle)
{
  if (lg_fam.handle_bytes == 4)
    return handle;
  static struct {
    int handle;
    uint32_t gen;
    long c;
  } cache[FORTRAN_COMMS];
  static lg_converter f2c;
  unsigned i = (unsigned)handle % FORTRAN_COMMS;
  if (cache[i].c && cache[i].handle == handle && cache[i].gen == lg_comm_gen)
    return cache[i].c;
  if (!f2c)
    f2c = lg_from_fortran("Comm");
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
  return lg_handle_of(p);
}

long lg_datatype_handle(const struct lg_call *c, int i)
{
  static lg_converter f2c;
  const void *p = (const void *)c->args[i];
  if (!p || c->binding == LG_BIND_C || lg_fam.handle_bytes == 4)
    return p ? lg_handle_of(p) : 0;
  if (!f2c)
    f2c = lg_from_fortran("Type");
  return f2c ? f2c(*(const int *)p) : 0;
}

long lg_handle_kept(const struct lg_call *c, long handle)
{
  return c->binding != LG_BIND_C && lg_fam.handle_bytes == 8 ? handle | FORTRAN_MARK : handle;
}

long lg_handle_in(const struct lg_call *c, int i)
{
  if (c->binding != LG_BIND_C)
    return lg_handle_kept(c, *(int *)c->args[i]);
  return lg_fam.handle_bytes == 4 ? (int)c->args[i] : c->args[i];
}

long lg_handle_at(const struct lg_call *c, int i, int k)
{
  const void *p = (const void *)c->args[i];
  if (unlikely(!p)) /* an error that MPI will tell */
    return lg_fam.request_null;
  if (c->binding != LG_BIND_C || lg_fam.handle_bytes == 4)
    return lg_handle_kept(c, ((const int *)p)[k]);
  return ((const long *)p)[k];
}

bool lg_request_null(const struct lg_call *c, long handle)
{
  if (c->binding != LG_BIND_C && lg_fam.handle_bytes == 8)
    return handle == lg_handle_kept(c, lg_fam.fortran_request_null);
  return handle == lg_fam.request_null;
}

long lg_c_handle(int handle, const char *object)
{
  if (lg_fam.handle_bytes == 4)
    return handle;
  lg_converter f2c = lg_from_fortran(object);
  return f2c ? f2c(handle) : 0;
}

static long by_value(const struct lg_call *c, int i, const char *object)
{
  if (c->binding != LG_BIND_C)
    return lg_c_handle(*(int *)c->args[i], object);
  return lg_fam.handle_bytes == 4 ? (int)c->args[i] : c->args[i];
}

long lg_group_handle(const struct lg_call *c, int i)
{
  return by_value(c, i, "Group");
}

long lg_win_handle(const struct lg_call *c, int i)
{
  return by_value(c, i, "Win");
}

long lg_session_handle(const struct lg_call *c, int i)
{
  const void *p = (const void *)c->args[i];
  if (c->binding != LG_BIND_C)
    return lg_c_handle(*(const int *)p, "Session");
  return lg_handle_of(p);
}

long lg_op_handle(const struct lg_call *c, int i)
{
  return by_value(c, i, "Op");
}
