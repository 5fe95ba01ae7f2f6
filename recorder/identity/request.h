/* Requests that are not complete, and messages that a matched probe has found. */
#pragma once

#include "base/base.h"
#include "identity/history.h"

struct lg_comm_ref;
struct lg_persistent;
struct lg_state_live;

struct lg_piece { /* of memory */
  const void *at;
  uint64_t bytes;
};

struct lg_req {
  uint64_t key;
  uint32_t kind; /* LG_OP_SEND, LG_OP_RECV, LG_OP_COLL, LG_OP_OTHER */
  uint32_t comm;
  int32_t peer, tag;
  int32_t peer2, tag2; /* the receiving half of an Isendrecv; peer2 LG_NONE: none */
  uint64_t seq, seq2;
  uint32_t state;
  uint64_t bytes; /* that starting a persistent one sends */
  uint32_t thread; /* that began it: state is one of its own */
  uint32_t wildcard; /* its entry among those that are not complete (identity/wildcard.h); 0: none */
  struct lg_piece out, in;
  uint64_t buffer; /* of a send or a receive; 0: not kept. It has count elements of the datatype type, as lg_type_handle gives it */
  uint64_t count;
  long type;
  bool persistent, active, cancelled, buffered, partitioned;
  bool told; /* a perturbed run has said that it is complete, or a part of it */
  struct lg_state_live *by; /* counts it among what its call made; NULL: nobody does */
  struct lg_persistent *made; /* counts how often it is started; NULL: nobody does */
  struct lg_comm_ref *ref; /* communicator of a collective, parent of a new one */
  const void *newcomm;     /* where MPI_Comm_idup will put its handle */
  uint32_t place;          /* of that communicator among those of its parent, in the order in which they were begun */
  struct lg_collective collective; /* that starting a persistent one begins */
};

enum { LG_KEY_REQUEST, LG_KEY_MESSAGE };

#pragma GCC visibility push(hidden)

/* Makes room for a request; a handle that is known already has been given out
 * anew. NULL: the table is full, the request is not followed. */
struct lg_req *lg_req_put(int space, long handle);
struct lg_req *lg_req_get(int space, long handle); /* NULL: not followed */
void lg_req_drop(struct lg_req *r);
/* The next one that is not complete, from place *i on, which is moved behind it; NULL: no more. A signal handler may ask. */
const struct lg_req *lg_req_next(uint32_t *i);

#pragma GCC visibility pop
