/* The line of an instruction, by the tables that CPython's compiler leaves. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Of the instruction at that byte of the code, by n bytes of the table, in code of
 * Python 3.minor that begins at line `first`; 0: it has none. */
int lg_py_line(int minor, const unsigned char *table, size_t n, int first, int64_t instruction);

#pragma GCC visibility pop
