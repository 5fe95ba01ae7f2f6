/* The dynamic linker's own dlclose, for handles of the recorder's, by which nothing is unloaded: through the one that programs call
 * (stack/modules.c) it would be taken for that. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

int lg_close(void *handle);

#pragma GCC visibility pop
