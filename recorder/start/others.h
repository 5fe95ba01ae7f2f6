/* Threads of the program that do not call MPI, while one that does waits outside MPI: for which of them it waits, their
 * stacks may tell. They are read from outside; no thread is disturbed for it. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void lg_others_look(void); /* before the stacks of the threads that call MPI are taken */

#pragma GCC visibility pop
