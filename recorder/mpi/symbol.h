/* The functions and variables of the MPI library, found at run time. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void *lg_find_symbol(const char *name); /* in any loaded object but this one; NULL */
void *lg_visible(const char *name);     /* a variable of the MPI library; NULL */
const void *lg_base_of(const void *at);  /* where the object begins that has an address; NULL: none does */

#pragma GCC visibility pop
