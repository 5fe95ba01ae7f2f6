/* Threads of the recorder's own: no signal of the program's comes to them. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

bool lg_own_thread(void *(*body)(void *)); /* false: the system gives no thread */

#pragma GCC visibility pop
