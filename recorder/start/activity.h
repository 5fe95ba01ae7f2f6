/* Activity of a rank that makes no progress: a call of MPI may write a file, copy gigabytes or fill memory for longer
 * than a hang has to last. A loop that waits moves few bytes and goes through no memory. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void lg_activity_begin(void);        /* the program made progress */
void lg_activity_look(uint64_t now); /* about a second after the last look, and no progress since: notes activity */

#pragma GCC visibility pop
