/* Polls that answer no a while longer, and waits that return another of the complete
 * requests. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

/* Of every call: receives take away what probes have told. True: the call is answered no. */
bool lg_choose_completion(struct lg_call *c);

#pragma GCC visibility pop
