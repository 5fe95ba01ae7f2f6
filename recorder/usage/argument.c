#include "mpi/address.h"
#include "mpi/family.h"
#include "usage/argument.h"

static bool wide(const struct lg_call *c, const struct lg_param *p)
{
  return (p->kind == P_count || p->kind == P_aint || p->kind == P_offset) && !(p->fortran_int && c->binding != LG_BIND_C);
}

static int64_t number(const struct lg_call *c, const struct lg_param *p, const void *from, uint32_t k)
{
  return wide(c, p) ? ((const int64_t *)from)[k] : ((const int32_t *)from)[k];
}

int64_t lg_arg(const struct lg_call *c, int i, uint32_t k)
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

const void *lg_arg_place(const struct lg_call *c, int i, uint32_t k)
{
  size_t bytes = c->binding == LG_BIND_C ? (size_t)lg_fam.handle_bytes : sizeof(int);
  return (const char *)c->args[lg_arg_at(c, i)] + k * bytes;
}
