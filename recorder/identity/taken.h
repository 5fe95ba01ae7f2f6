/* What receives with a wildcard took last: a message that was meant for another receive is found
 * by this, and nowhere else. */
#ifndef LAGGARD_TAKEN_H
#define LAGGARD_TAKEN_H

#include "format.h"

#pragma GCC visibility push(hidden)

/* lg_take notes a message; its seq is not read. */
void lg_take(struct lg_take message);

#pragma GCC visibility pop
#endif
