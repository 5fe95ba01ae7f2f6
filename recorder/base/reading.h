/* Reading the program's buffers. The program may have given the memory back, which
 * is its error to be reported and not ours to die of: a fault ends the reading. */
#pragma once

#include <signal.h>
#include "base/base.h"

#pragma GCC visibility push(hidden)

bool lg_reading(void (*f)(void *), void *arg); /* calls f, which reads the program's memory; false: there was none */
/* In the handler of a fault: does not return if it was met while reading. */
void lg_reading_fault(const sigset_t *mask);

#pragma GCC visibility pop
