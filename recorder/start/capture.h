/* Writing down the stack of a thread: from its own signal handler, or from outside
 * while it is asleep in a system call. */
#pragma once

#include <signal.h>
#include "base/base.h"
#include "identity/thread.h"
#include "python/words.h"
#include "start/asleep.h"

#pragma GCC visibility push(hidden)

extern uint32_t lg_capture_why; /* of the captures that are under way */
/* How many threads were found to have left a call of MPI by longjmp or an exception: they are not in it any more, which is no progress. */
extern uint64_t lg_capture_left;
extern int lg_capture_signal;   /* has a thread write down its stack */

/* Has a thread of this process write its own stack down, by the signal. */
void lg_capture_ask(int tid);
/* Has it only copy its registers, to its samples. */
void lg_capture_ask_registers(int tid);
/* Whether that signal came from one of these, and not from the program. */
bool lg_capture_wanted(const siginfo_t *info);
/* Does for the thread whose signal handler this is what that signal asked for. */
void lg_capture_asked(struct lg_thr *t, const siginfo_t *info, void *ucontext);
/* Of the thread whose signal handler this is, or that asked for its own registers;
 * false: the file lock was not to be had. */
bool lg_capture_here(struct lg_thr *t, uint32_t why, int sig, void *ucontext);
bool lg_capture_asleep(struct lg_thr *t, const struct lg_asleep *asleep); /* of a thread asleep */
/* The stack of a thread that does not call MPI and is asleep: valid while the file lock is held, which it must be. NULL: it
 * cannot be read. */
const struct lg_words *lg_capture_words(const struct lg_asleep *asleep);
/* Of the thread whose signal handler this is, which never called MPI: a fatal signal arrived. */
void lg_capture_other(int sig, void *ucontext);

#pragma GCC visibility pop
