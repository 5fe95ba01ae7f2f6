/* The functions and variables of the MPI library, found at run time. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void *lg_find_symbol(const char *name); /* in any loaded object but this one; NULL */
void *lg_visible(const char *name);     /* a variable of the MPI library; NULL */
void *lg_resolve(int entry);            /* what a wrapper forwards to; never NULL */

#pragma GCC visibility pop
