/* Polls that answer no a while longer, and waits that return another of the complete
 * requests. */
#ifndef LAGGARD_PERTURB_COMPLETION_H
#define LAGGARD_PERTURB_COMPLETION_H

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_completion(struct lg_call *c); /* of every call: receives take away what probes have told */

#pragma GCC visibility pop
#endif
