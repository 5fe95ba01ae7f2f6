/* What the modules of the program would be bound to if the recorder were not there. It is preloaded, so every reference to a function of MPI
 * is bound to it: also one to a function that this MPI lacks, and that of a library which brings functions of these names of its own, as
 * sequential builds of solvers do. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* lg_bindings_correct binds such references of all modules to what they would be bound to, if modules have come or gone since the last
 * time. */
void lg_bindings_correct(void);

/* The MPI library, if there is one, was loaded for those alone who asked for it, as Python does. Else all modules are bound to it. As of the
 * last correction. */
extern bool lg_mpi_local;

/* lg_bound_elsewhere is the function with a name that the module around an address has from another library than MPI; NULL: none. The name
 * is that of C, or in Fortran one with an underscore at its end, for which others may stand. The bindings are corrected then. */
void *lg_bound_elsewhere(const char *name, uint64_t at);

#pragma GCC visibility pop
