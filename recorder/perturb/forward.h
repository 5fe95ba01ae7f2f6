/* Forwarding a call to MPI from a function that was put in the place of c->real. Such a
 * function takes no arguments of its own: it finds the call here. */
#pragma once

#include "mpi/call.h"

#define LG_FORWARD_MOST 14 /* arguments of the functions that are forwarded: MPI_Get_accumulate has 12, and Fortran an ierror */

struct lg_forwarded { /* the call of this thread that goes another way */
  struct lg_call *call;
  void *real;     /* what the wrapper would have called */
  uint64_t value; /* of the choice */
};

typedef long (*lg_instead)(void);

#pragma GCC visibility push(hidden)

extern __thread struct lg_forwarded lg_forwarded __attribute__((tls_model("initial-exec")));

void lg_put_instead(struct lg_call *c, lg_instead f, uint64_t value);
/* Calls f as the program called, with another argument in the place of one; position -1: none. */
long lg_forward(void *f, const struct lg_call *c, int position, long argument);
/* A function of MPI for the binding of the call, by its number in lg_descs or its name in C; NULL: there is none. */
void *lg_form_of(const struct lg_call *c, int desc);
void *lg_named_form_of(const struct lg_call *c, const char *name);
/* The same of a function that has no counts, and so no form with large ones. */
void *lg_unsized_form_of(const struct lg_call *c, const char *name);
/* Calls such a function with n arguments, and behind them in Fortran the error code, which it returns. */
int lg_call_form(void *f, int binding, const long *given, int n);
/* What a function in the place of the call returns, which Fortran has from its last argument. */
int lg_return_code(const struct lg_call *c, int code);
/* Puts a function in the place of MPI_Sendrecv whose sending half is synchronous; NULL: this MPI lacks a part. */
void *lg_sendrecv_synchronously(struct lg_call *c);

#pragma GCC visibility pop
