/* Whether a message is there that a receive would take. */
#ifndef LAGGARD_PERTURB_PROBE_H
#define LAGGARD_PERTURB_PROBE_H

#include "base/base.h"

#define LG_STATUS_BYTES 64 /* more than any MPI's status has */

#pragma GCC visibility push(hidden)

bool lg_message_is_there(long source, long tag, long comm); /* as MPI has them in C; it is not taken, and MPI goes on */

#pragma GCC visibility pop
#endif
