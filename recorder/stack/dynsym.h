/* Symbols that a module offers to others. Read from its own tables: dlsym would wait
 * for whoever is loading a library just now. */
#pragma once

#include "stack/modules.h"

#pragma GCC visibility push(hidden)

uint64_t lg_module_symbol(const struct lg_mapped *m, const char *name); /* its address; 0: none */

#pragma GCC visibility pop
