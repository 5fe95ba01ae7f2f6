/* A choice at a call that is open: counted, asked about and, if it is made, noted. */
#pragma once

#include "mpi/call.h"
#include "perturb/schedule.h"

#pragma GCC visibility push(hidden)

bool lg_choose(const struct lg_call *c, uint32_t kind, uint64_t *value); /* the tables are locked */
/* A shape of lg_schedule_takes for which sender or request is preferred: by half of the seeds always the same at a place, as
 * one that is starved or favoured for long is what programs are not prepared for; by the others each time another. */
uint64_t lg_by_favour(const struct lg_open *o, uint64_t value, uint64_t most);
bool lg_alone(void); /* one thread alone has called MPI until now */

#pragma GCC visibility pop
