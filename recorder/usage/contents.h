/* What MPI says of a datatype: its sizes, its name, and what it was made of, in the
 * form that MPI_Type_get_contents has for types with ordinary counts. */
#pragma once

#include "base/base.h"
#include "usage/typetable.h"

#define LG_MAX_NAME 256 /* at least MPI_MAX_OBJECT_NAME */

struct lg_contents {
  int64_t ni, na, nc, nd; /* nc: large counts, of the _c constructors */
  int *ints;
  long *addresses;
  int64_t *counts;
  char *handles;
};

#pragma GCC visibility push(hidden)

void lg_contents_start(void);
bool lg_contents_askable(void); /* MPI runs, and has the functions */
/* How much there is of each, and the constructor as MPI numbers it. */
bool lg_contents_envelope(long handle, struct lg_contents *k, int *combiner);
/* Fills in what t was made of, but for the types, which lg_contents_handle gives. */
bool lg_contents_take(struct lg_dtype *t, struct lg_contents *k);
long lg_contents_handle(const struct lg_contents *k, int64_t i);
void lg_contents_free(struct lg_contents *k);
void lg_contents_sizes(struct lg_dtype *t);
void lg_contents_name(long handle, char *name); /* LG_MAX_NAME bytes */
void lg_contents_give_back(long handle);        /* one that MPI made for us */

#pragma GCC visibility pop
