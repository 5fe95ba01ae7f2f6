/* Whether this process is being recorded. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

extern bool lg_off;     /* forward calls, record nothing */
extern bool lg_started; /* the first MPI call has begun the recording */

/* lg_turn_off stops the recording, never the program: one line on stderr, a note
 * in the file if there is one, and from now on calls are only forwarded. */
void lg_turn_off(const char *why, ...) __attribute__((format(printf, 1, 2)));

/* What the floor above does when the recording is turned off: it writes the
 * reason into the file. Set once there is a file. */
extern void (*lg_when_off)(const char *why);

#pragma GCC visibility pop
