/* Datatypes that the program made and has not freed: which call made each. */
#pragma once

#include "base/base.h"

struct lg_st;

#pragma GCC visibility push(hidden)

/* Of the C handle. progress: as for lg_count_made. */
void lg_datatype_made(long handle, struct lg_st *by, uint64_t progress);
void lg_datatype_freed(long handle);

#pragma GCC visibility pop
