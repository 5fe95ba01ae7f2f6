/* What a wrapper forwards to. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* lg_resolve finds what a wrapper forwards to; never NULL. ra is the return address of the wrapper: the module there may be bound elsewhere
 * (mpi/binding.h), and then it is only asked again. */
void *lg_resolve(int entry, uint64_t ra);

#pragma GCC visibility pop
