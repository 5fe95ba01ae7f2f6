/* Samples of what the process does, ten a second, from which the series of the file are made. The watch thread takes
 * them: no MPI call gets slower. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void lg_sample_read_settings(void);
/* Is called by the thread that takes the samples, before the first. */
void lg_sample_start(void);
/* Takes one, and after the first of a second adds the second before to the series. */
void lg_sample_take(uint64_t now);
/* How long to wait for the next one, ns: not always as long, as a program with a period of its own would
 * be seen at the same place each time. 0: none are taken. */
uint64_t lg_sample_pause(void);

#pragma GCC visibility pop
