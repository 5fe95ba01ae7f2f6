/* The datatypes of the program: which handles are types, and what they are made
 * of, asked of MPI once, when a type is made or a predefined one is first used.
 * A handle that is not known is never given to MPI. */
#pragma once

#include "base/base.h"
#include "usage/recording.h"
#include "usage/typetable.h"

#pragma GCC visibility push(hidden)

int64_t lg_type_index(struct lg_usage *u, int64_t handle, bool fortran); /* the number of the type that a handle means */
int64_t lg_type_made(struct lg_usage *u, long handle, bool constructed); /* of one that a call has returned */
/* The number of the k-th type that a type is made of, which MPI_Type_get_contents gave out; negative: it is not known. */
int64_t lg_type_contained(int64_t of, uint32_t k, long handle);
void lg_type_gone(int64_t index);       /* a handle of it was given back */
uint32_t lg_type_contents(long handle); /* how many types it was made of */

#pragma GCC visibility pop
