/* The function of a language's library that one of the recorder stands in the place of. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Returns the function `name` that the caller would have come to without the recorder's own one, NULL: there is none. libraries
 * are files that have it where no other way leads to one, ended by NULL. *known keeps the usual answer. */
void *lg_real_function(const char *name, void *own, const char *const *libraries, void *caller, void **known);

#pragma GCC visibility pop
