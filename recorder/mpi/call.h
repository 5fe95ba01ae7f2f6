/* A call in progress, as the wrapper begins it and every floor above adds to it. */
#pragma once

#include "base/base.h"
#include "mpi/table.h"

struct lg_thr;
struct lg_st;
struct lg_comm_ref;
struct lg_req;

struct lg_outer { /* the call of MPI in which a callback of the program makes another */
  uint64_t cfa, ra;        /* see struct lg_thr */
  uint64_t calling, begun; /* see struct lg_usage */
  int64_t freed;
};

struct lg_call {
  void *real; /* what the wrapper forwards to; a perturbed run may put another function in its place */
  struct lg_thr *thr;
  const struct lg_desc *desc;
  int binding;
  long *args;
  struct lg_st *st;
  struct lg_comm_ref *comm;
  uint32_t born; /* of comm, if the call frees it, see there */
  long handle;   /* request or message named by the call, as it was before; of what is begun here, its number */
  uint64_t seq2; /* the number of the receiving half of an Isendrecv */
  int n; /* requests named by the call; their handles are in thr->handles, that of a single one in handle */
  struct lg_req *req; /* what a single one is known as */
  int peer, tag;      /* as in struct lg_pending; of the receive or probe, if the call is one */
  bool own_status;    /* thr->statuses was given in place of MPI_STATUS_IGNORE */
  int code;           /* what the call returned */
  int ierror;         /* stands in for one that a Fortran program left out */
  bool recorded;      /* the recording of usage has its begin */
  bool within;        /* a callback of the program makes it, in the call outer */
  struct lg_outer outer;
};

/* lg_int is an argument that is an int; Fortran passes everything by reference. */
static inline int lg_int(const struct lg_call *c, int i)
{
  return c->binding == LG_BIND_C ? (int)c->args[i] : *(int *)c->args[i];
}
