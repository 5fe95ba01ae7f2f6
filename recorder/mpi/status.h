/* MPI_Status: whether the program ignores it, and what is in it; and whether there is anything to read. */
#pragma once

#include <string.h>
#include "base/base.h"
#include "mpi/call.h"
#include "mpi/family.h"

#pragma GCC visibility push(hidden)

void lg_statuses_start(void);
bool lg_status_ignored(const struct lg_call *c);
const char *lg_status_at(const struct lg_call *c, int k); /* the k-th of the call; NULL: ignored */
int64_t lg_status_bytes(const char *status);
bool lg_status_ask_cancelled(const char *status);

#pragma GCC visibility pop

/* lg_refused tells whether the call returned an error and no results. */
static inline bool lg_refused(const struct lg_call *c)
{
  return c->code && (c->code & lg_fam.class_mask) != lg_fam.err_in_status;
}

/* The int at an offset that struct lg_family names. */
static inline int lg_status_int(const char *status, int offset)
{
  int v;
  memcpy(&v, status + offset, sizeof v);
  return v;
}

static inline bool lg_status_cancelled(const char *status)
{
  int mask = lg_fam.status_cancel_mask;
  return mask ? lg_status_int(status, lg_fam.status_cancelled) & mask : lg_status_ask_cancelled(status);
}
