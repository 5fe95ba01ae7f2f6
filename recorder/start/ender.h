/* Who ends the process: the sender of a signal, and whose thread exits. All of it
 * may be asked in a signal handler. */
#pragma once

#include <signal.h>
#include "format.h"
#include "stack/unwind.h"

#pragma GCC visibility push(hidden)

void lg_ender_start(void); /* notes which processes started this one */
struct lg_signal lg_signal_of(const siginfo_t *info);
const char *lg_sender_above(const struct lg_signal *s); /* the name of the sender, with room for LG_MAX_COMMAND; NULL: it did not start this process */
/* Whose thread the caller is (enum lg_ender). ucontext: its registers; NULL: those of the caller. */
uint32_t lg_ender(void *ucontext);

/* Of a stack, which the file lock is held for: it has code of the program; the exit that it is in was called by MPI's code, and not
 * by a handler or another callback of the program. */
bool lg_called_by_program(const struct lg_trace *tr);
bool lg_exit_by_mpi(const struct lg_trace *tr);

#pragma GCC visibility pop
