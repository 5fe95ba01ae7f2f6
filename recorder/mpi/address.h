/* Buffers as arguments. Fortran passes the addresses of certain variables for
 * MPI_BOTTOM and MPI_IN_PLACE, and may pass an array by a descriptor. */
#ifndef LAGGARD_ADDRESS_H
#define LAGGARD_ADDRESS_H

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_addresses_start(void);
int lg_arg_at(const struct lg_call *c, int i); /* where the language binding has argument i; negative: nowhere */
const void *lg_arg_buffer(const struct lg_call *c, int i);
int64_t lg_arg_address(const struct lg_call *c, int i); /* LG_USE_BOTTOM, LG_USE_IN_PLACE or the address */
bool lg_in_place(const struct lg_call *c, int i);

#pragma GCC visibility pop
#endif
