/* Point-to-point calls: sends and receives are counted on their channels, and
 * what a wildcard matched is learnt from the status. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

struct lg_asked { /* a receive as the program wrote it */
  int32_t peer, tag;
  uint32_t state, thread;
};

/* Counts a wildcard receive on the channel its status names, and notes what it took; its number, 0 unknown. */
uint64_t lg_matched(struct lg_call *c, uint32_t comm, struct lg_asked by, const char *status);
void lg_before_send(struct lg_call *c, bool blocks);
void lg_before_bsend(struct lg_call *c);
void lg_note_buffered(uint32_t comm, int peer, int tag, uint64_t seq); /* a buffered send */
void lg_before_detach(struct lg_call *c);
void lg_after_detach(const struct lg_call *c);
void lg_after_attach(const struct lg_call *c); /* of a communicator's own buffer */
void lg_before_recv(struct lg_call *c, uint32_t kind);
void lg_before_irecv(struct lg_call *c);
void lg_before_mprobe(struct lg_call *c);
void lg_before_mrecv(struct lg_call *c);
void lg_before_imrecv(struct lg_call *c);
void lg_before_sendrecv(struct lg_call *c, bool blocks);
void lg_after_recv(struct lg_call *c);  /* or a sendrecv */
void lg_after_mrecv(struct lg_call *c);
void lg_after_mprobe(struct lg_call *c);
uint32_t lg_list_probe(struct lg_call *c, uint32_t n);

#pragma GCC visibility pop
