/* What the kernel says of a thread of this process, below /proc/self/task. */
#pragma once

#include "base/base.h"

#define LG_TASK_LINE 256 /* bytes that are read of a file there */

#define LG_TASKS 64      /* threads of the process that are listed, at most */

#pragma GCC visibility push(hidden)

/* Lists the threads of the process but the calling one, and returns how many there are. Only the watch thread calls it. */
int lg_tasks(int tids[LG_TASKS]);

/* Reads the beginning of a file of the kernel about a thread as text; false: there is none. */
bool lg_task_read(int tid, const char *name, char *text, size_t room);
/* Whether the kernel says in which system call a thread is, with numbers of this processor. */
bool lg_task_calls_told(void);
/* 'R' running, 'S' asleep, 'D' waiting for a disk ...; 0 unknown. rest, if not NULL, is set to what follows in text. */
char lg_task_state(int tid, char text[LG_TASK_LINE], const char **rest);
/* Whether a thread takes a signal at once. Blocked, it would be kept for later, or be found by sigwait or a signalfd. */
bool lg_task_takes(int tid, int sig);
/* Whether a thread may be asleep. */
bool lg_task_sleeps(int tid);
/* How long a thread was on a processor, and how long it would have run but was given none, ns; false: unknown. */
bool lg_task_schedule(int tid, uint64_t *ran, uint64_t *waited);

#pragma GCC visibility pop
