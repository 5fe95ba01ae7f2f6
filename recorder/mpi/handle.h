/* Handles as arguments, brought from the language of the call into one form.
 * Fortran's communicators are converted to C handles; requests, messages, windows
 * and files are used in the language they were made in, so their Fortran handles
 * are kept apart from C handles and not converted. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

typedef long (*lg_converter)(long);

#pragma GCC visibility push(hidden)

/* Changes when a communicator's handle may have come to mean another. */
extern uint32_t lg_comm_gen;

long lg_fortran_comm(int handle); /* the C handle */
long lg_comm_handle(const struct lg_call *c, int i); /* of a communicator argument */
long lg_comm_made_handle(const struct lg_call *c, int i); /* the same behind a pointer */
long lg_datatype_handle(const struct lg_call *c, int i); /* the C handle of a datatype behind a pointer; 0: there is none */
long lg_handle_kept(const struct lg_call *c, long handle); /* a handle that is not converted, as it is kept */
long lg_handle_in(const struct lg_call *c, int i); /* request, window, file, message passed by value */
long lg_handle_at(const struct lg_call *c, int i, int k); /* the k-th of an array, or behind a pointer */
bool lg_request_null(const struct lg_call *c, long handle);
/* C handles, to be used at once and not kept. */
long lg_group_handle(const struct lg_call *c, int i);
long lg_win_handle(const struct lg_call *c, int i);
long lg_op_handle(const struct lg_call *c, int i);
long lg_session_handle(const struct lg_call *c, int i); /* behind a pointer */
long lg_c_handle(int handle, const char *object); /* of a Fortran handle of a "Comm", "Type", ... */
/* The function of MPI that makes a C handle of a Fortran one of such an object; NULL: it has none. */
lg_converter lg_from_fortran(const char *object);

#pragma GCC visibility pop
