/* Who ends the process: the sender of a signal, and whose thread exits. All of it
 * may be asked in a signal handler. */
#pragma once

#include <signal.h>
#include "format.h"
#include "stack/unwind.h"

#pragma GCC visibility push(hidden)

void lg_ender_start(void); /* notes which processes started this one */
struct lg_signal lg_signal_of(const siginfo_t *info);
/* Whose thread the caller is (enum lg_ender). ucontext: its registers; NULL: those of the caller. */
uint32_t lg_ender(void *ucontext);

bool lg_called_by_program(const struct lg_trace *tr); /* the stack has code of the program. The file lock is held */

#pragma GCC visibility pop
