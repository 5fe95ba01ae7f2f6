#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "identity/scratch.h"
#include "identity/thread.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"

#define STATUS_BYTES 32 /* no MPI_Status is larger */

bool lg_scratch(struct lg_thr *t, uint32_t n)
{
  if (n <= t->room)
    return true;
  uint32_t room = n < 64 ? 64 : n * 2;
  long *h = realloc(t->handles, room * sizeof *h);
  if (h)
    t->handles = h;
  char *s = realloc(t->statuses, room * STATUS_BYTES);
  if (s)
    t->statuses = s;
  if (h && s)
    t->room = room;
  return h && s;
}

/* lg_want_status puts a status of the recorder in the place of MPI_STATUS_IGNORE, for a
 * call whose partner only the status tells. */
void lg_want_status(struct lg_call *c, uint32_t n)
{
  if (!lg_status_ignored(c) || !lg_scratch(c->thr, n))
    return;
  memset(c->thr->statuses, 0, (size_t)n * (size_t)lg_fam.status_size);
  c->args[c->desc->status] = (long)c->thr->statuses;
  c->own_status = true;
}

/* gone tells whether the k-th request of the call is null now and was not before. */
static bool gone(const struct lg_call *c, int k)
{
  if (k < 0 || k >= c->n)
    return false;
  return !lg_request_null(c, c->n > 1 ? c->thr->handles[k] : c->handle) && lg_request_null(c, lg_handle_at(c, c->desc->request, k));
}

/* lg_index is an index of a request, from 0, that MPI returned; undefined if it
 * is MPI_UNDEFINED. MPICH 4.0 adds one to that in Fortran, and forgets to in
 * mpi_f08: there a 0, or which request is gone, tells whether it counts from 0. */
int lg_index(const struct lg_call *c, int v)
{
  static int first = -1; /* index of the first request in mpi_f08 of MPICH; -1 not known yet */
  if (c->binding == LG_BIND_C)
    return v;
  if (v == lg_fam.undefined || v == lg_fam.undefined + 1)
    return lg_fam.undefined;
  if (lg_fam.id != LG_FAMILY_MPICH || c->binding < LG_BIND_F08)
    return v - 1;
  if (first < 0 && (v == 0 || gone(c, v) != gone(c, v - 1)))
    first = v == 0 || gone(c, v) ? 0 : 1;
  return first == 0 ? v : v - 1;
}
