/* How the process ends, and the signal that asks for a stack. Handlers for fatal
 * signals write down the end and then do what the program, or the system, would
 * have done; the program's own handlers, set before or after, run as if ours were
 * not there. */
#pragma once

#pragma GCC visibility push(hidden)

void lg_ends_start(void);
void lg_note_exit(void);  /* writes down from where a rank exits: MPI in a call, or the program if it has not finished */
void lg_note_error(void); /* writes down the stack of the calling thread, which MPI does not let go */

#pragma GCC visibility pop
