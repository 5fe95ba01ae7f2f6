/* The journal of a perturbed run: every choice that was made, one a line, in a file of
 * the process beside the schedule. It lies in mapped memory: a descriptor could be
 * closed by the program, and its number be another file's. */
#pragma once

#include "base/base.h"
#include "perturb/schedule.h"

#pragma GCC visibility push(hidden)

void lg_journal_start(const char *schedule); /* the path of the schedule */
void lg_journal_write(const struct lg_open *o, uint64_t value);

#pragma GCC visibility pop
