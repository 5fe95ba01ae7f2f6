/* A choice at a call that is open: counted, asked about and, if it is made, noted. */
#ifndef LAGGARD_CHOOSE_H
#define LAGGARD_CHOOSE_H

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

bool lg_choose(const struct lg_call *c, uint32_t kind, uint64_t *value); /* the tables are locked */
bool lg_alone(void); /* one thread alone has called MPI until now */

#pragma GCC visibility pop
#endif
