/* The exception that a thread of a program in Python is in the midst of, or that one of C++ threw last, for the file. */
#ifndef LAGGARD_RAISED_H
#define LAGGARD_RAISED_H

#include "identity/thread.h"

#pragma GCC visibility push(hidden)

void lg_raised_captured(struct lg_thr *t); /* its stack was captured just now; the file lock is held */
void lg_raised_thrown(struct lg_thr *t); /* it has thrown another one than before; the file lock is held */
/* Called now and then: when the interpreter has begun to end, the exception that nothing caught is
 * noted. A while later nothing can be read of it. */
void lg_raised_at_end(void);

#pragma GCC visibility pop
#endif
