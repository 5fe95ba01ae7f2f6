/* A perturbed run: MPI leaves choices open, such as whether a send is buffered, and a
 * correct program works whichever is made. Where LAGGARD_PERTURB names a schedule, other
 * legal ones are made. Without it, a call costs one branch. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_perturb_start(void); /* reads the schedule, if there is one */
/* Before a call of which only the state is known: holds it back, or puts another function
 * in the place of c->real. Kept out of the caller, which would grow so that gcc no longer
 * inlines what each call needs: 17 instructions. */
void lg_perturb(struct lg_call *c) __attribute__((cold, noinline));

#pragma GCC visibility pop
