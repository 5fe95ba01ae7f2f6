/* Handles that were given back: each is known by its number in the recording of
 * usage until it is given out again; the last ones of each kind are kept. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void lg_freed_put(int kind, long handle, int64_t number); /* kind: enum lg_param_kind */
void lg_freed_forget(int kind, long handle); /* it is given out again */
int64_t lg_freed_number(int kind, long handle); /* LG_USE_INVALID: no such */

#pragma GCC visibility pop
