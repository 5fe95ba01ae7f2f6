/* Between p2p.c, wait.c and message.c: when a message is to be told of. */
#ifndef LAGGARD_MESSAGE_H
#define LAGGARD_MESSAGE_H

#include "operation.h"

#pragma GCC visibility push(hidden)

void lg_message_sent(struct lg_call *c, uint64_t seq);      /* by this call, at once */
void lg_message_received(struct lg_call *c, uint64_t seq);  /* likewise */
void lg_message_begun(struct lg_call *c, struct lg_req *r); /* keeps where a request's message is */
void lg_message_started(const struct lg_req *r);            /* of a persistent request */
void lg_message_completed(const struct lg_req *r, uint64_t matched, const char *status); /* matched: its number, if that was open */

#pragma GCC visibility pop
#endif
