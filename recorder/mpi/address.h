/* Buffers as arguments. Fortran passes the addresses of certain variables for
 * MPI_BOTTOM and MPI_IN_PLACE, and may pass an array by a descriptor. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_addresses_start(void);
const void *lg_arg_buffer(const struct lg_call *c, int i);
int64_t lg_arg_address(const struct lg_call *c, int i); /* LG_USE_BOTTOM, LG_USE_IN_PLACE or the address */
bool lg_in_place(const struct lg_call *c, int i);

#pragma GCC visibility pop

/* lg_arg_at is where the language binding has argument i; negative: nowhere. Fortran passes no argc and argv. */
static inline int lg_arg_at(const struct lg_call *c, int i)
{
  bool no_argv = c->binding != LG_BIND_C && c->desc->nargs >= 2 && c->desc->params[0].kind == P_other && c->desc->params[1].kind == P_other;
  return no_argv ? i - 2 : i;
}

/* lg_returned is the error code of a call that has returned, which Fortran has in an argument. */
static inline int lg_returned(const struct lg_call *c)
{
  if (likely(c->binding == LG_BIND_C))
    return c->code;
  int at = lg_arg_at(c, c->desc->nargs);
  return at >= 0 && c->args[at] ? *(const int *)c->args[at] : 0;
}
