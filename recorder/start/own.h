/* Threads of the recorder's own: no signal of the program's comes to them. */
#ifndef LAGGARD_OWN_H
#define LAGGARD_OWN_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

bool lg_own_thread(void *(*body)(void *)); /* false: the system gives no thread */

#pragma GCC visibility pop
#endif
