/* How far datatypes reach, as a signal handler may know it, which must not ask MPI: of predefined types, and of those that the
 * program committed. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"
#include "mpi/type.h"

#define LG_NOT_FREED UINT32_MAX

#pragma GCC visibility push(hidden)

void lg_extent_predefined(long handle);    /* asks MPI about a predefined type */
void lg_extent_keep(const struct lg_call *c);  /* MPI_Type_commit has returned */
void lg_extent_freed(const struct lg_call *c, uint32_t thread, uint32_t state); /* MPI_Type_free begins, in that state of a thread */
/* Of a handle as lg_type_handle gives it; false: not known, or freed. */
bool lg_extent_known(long handle, struct lg_extent *out);
/* The state of the thread in which the type with that handle was freed; LG_NOT_FREED: not that it is known. */
uint32_t lg_extent_freed_in(long handle, uint32_t thread);
bool lg_extent_of_null(long handle); /* it is MPI_DATATYPE_NULL */

#pragma GCC visibility pop
