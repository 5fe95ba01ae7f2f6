/* Communicators, windows and files in the recording of usage. */
#pragma once

#include "base/base.h"
#include "identity/comm.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

/* The number of one in the recording, defined when it is first used. Its record in
 * the file may serve others after it: the definition says whose it is now. */
int64_t lg_comm_use(struct lg_usage *u, struct lg_comm_ref *r);

#pragma GCC visibility pop
