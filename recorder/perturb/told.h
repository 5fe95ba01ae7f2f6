/* Messages of which a probe has told the program that they are there: a later probe must
 * not deny them. The tables are locked around all of these. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

bool lg_told(const struct lg_call *c);  /* a message that a probe would find was told of, and may not have been received yet */
void lg_tell(const struct lg_call *c);  /* a probe has found a message */
void lg_told_taken(const struct lg_call *c); /* a call takes a message */
void lg_told_by(const struct lg_call *c); /* a call begins: one that receives may take such messages, a probe that waits will find one */

#pragma GCC visibility pop
