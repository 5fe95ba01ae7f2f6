/* Whose movements are recorded: not those of libraries that only keep the job
 * together, which are most (the event loop of OpenMPI's run time alone copies
 * more than its transports). */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void lg_wanted_start(void); /* reads LAGGARD_IGNORE */
bool lg_wanted(uint64_t ra); /* whether the module that called is one of those */

#pragma GCC visibility pop
