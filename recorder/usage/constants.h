/* Predefined handles of each MPI: which there are, their names, and which means
 * no object. OpenMPI's are addresses of variables, MPICH's numbers of its ABI. */
#pragma once

#include "base/base.h"
#include "usage/recording.h"

#pragma GCC visibility push(hidden)

void lg_constants_start(void); /* finds predefined types and nulls, without asking MPI */
void lg_constants_define(struct lg_usage *u); /* predefined handles, into the stream */
bool lg_is_null(int kind, long handle); /* kind: enum lg_param_kind */
/* A Fortran handle as C has it; 0: there is none. MPI answers for any number, but
 * only while it runs. */
long lg_f2c(int kind, int handle);
const long *lg_predefined_types(uint32_t *n);

#pragma GCC visibility pop
