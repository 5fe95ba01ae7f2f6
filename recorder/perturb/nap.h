/* How a call is held back: asleep, and never for longer than the schedule allows. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* lg_spend takes a time from what this process may be held back, at most the longest of one choice, and returns what there was. */
uint64_t lg_spend(uint64_t us);
bool lg_may_hold_back(void); /* false: the process has been held back for as long as it may */
bool lg_nap(uint64_t us); /* false: the process has been held back for as long as it may */
uint64_t lg_monotonic_us(void);
uint64_t lg_busy_us(void); /* time of the processor that this thread has had */

#pragma GCC visibility pop
