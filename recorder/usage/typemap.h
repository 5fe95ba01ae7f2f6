/* Where the bytes of a datatype are: its typemap, as segments of memory; those
 * that touch are joined. */
#pragma once

#include "usage/typetable.h"

#pragma GCC visibility push(hidden)

bool lg_type_map(struct lg_dtype *t); /* makes its segments, once; false: too many, or it has none */

#pragma GCC visibility pop
