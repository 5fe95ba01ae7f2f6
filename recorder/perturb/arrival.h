/* Nonblocking receives whose buffer has a pattern until they complete: the message comes into another one before. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_choose_arrival(struct lg_call *c); /* of a call that begins or prepares a receive */
void lg_arrival_again(long handle);        /* a persistent receive is about to be started */
bool lg_any_arrival(void);                 /* there are such receives */
void lg_arrival_freed(long handle);        /* the program gives the request up */
void lg_arrived(long handle);              /* the request is complete */

#pragma GCC visibility pop
