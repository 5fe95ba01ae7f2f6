/* Reading memory of this process that may not be there. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Copies up to n bytes, as far as they are there; returns how many it were. */
size_t lg_peek(uint64_t at, void *to, size_t n);

#pragma GCC visibility pop
