/* The numbers and handles among a call's arguments, as they were given. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

int64_t lg_arg(const struct lg_call *c, int i, uint32_t k); /* the k-th value of parameter i */
const void *lg_arg_place(const struct lg_call *c, int i, uint32_t k); /* of the k-th of the handles given by pointer */

#pragma GCC visibility pop
