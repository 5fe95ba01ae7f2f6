/* The recording of every call's arguments: one event before each call and one
 * after it, in the stream of the thread. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

extern bool lg_usage_on;

void lg_usage_start(void);
void lg_usage_before(struct lg_call *c);
bool lg_usage_again(struct lg_call *c); /* before a poll that is repeated; false: call lg_usage_before */
void lg_usage_ended(struct lg_call *c); /* the call has returned; what it completed is not yet settled */
void lg_usage_after(struct lg_call *c);
/* The same of a call within another; false: nothing is recorded of it. */
bool lg_usage_before_within(struct lg_call *c);
void lg_usage_after_within(struct lg_call *c);

#pragma GCC visibility pop
