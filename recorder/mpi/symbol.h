/* The functions and variables of the MPI library, found at run time. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void *lg_find_symbol(const char *name); /* in any loaded object but this one; NULL */
void *lg_visible(const char *name);     /* a variable of the MPI library; NULL */
/* lg_resolve finds what a wrapper forwards to; never NULL. ra is the return address of the wrapper: the module there may be bound elsewhere
 * (mpi/binding.h), and then it is only asked again. */
void *lg_resolve(int entry, uint64_t ra);
void lg_release(void *library); /* dlclose of what remains loaded: nothing changes for the stacks */

#pragma GCC visibility pop
