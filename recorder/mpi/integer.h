/* The INTEGER of Fortran. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

int lg_integer_bytes(void); /* that MPI's Fortran functions give and take; asked of one of them */

#pragma GCC visibility pop
