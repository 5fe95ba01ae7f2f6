/* Start-up: which parts of the recorder begin, and in which order. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

bool lg_start(void); /* at every thread's first MPI call; false: nothing is to be recorded */

#pragma GCC visibility pop
