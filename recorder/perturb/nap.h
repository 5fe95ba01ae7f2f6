/* How a call is held back: asleep, and never for longer than the schedule allows. */
#ifndef LAGGARD_NAP_H
#define LAGGARD_NAP_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

bool lg_nap(uint64_t us); /* false: the process has been held back for as long as it may */
uint64_t lg_monotonic_us(void);

#pragma GCC visibility pop
#endif
