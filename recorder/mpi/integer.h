/* The INTEGER of Fortran. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

extern int lg_integer_bytes; /* that MPI's Fortran functions give and take; 0: not asked yet */
void lg_integer_ask(void);   /* asks one of them, which may call functions of C */

#pragma GCC visibility pop
