/* What the kernel says of processes and threads, in files below /proc. */
#pragma once

#include "base/base.h"

#define LG_STAT 512 /* bytes that are read of /proc/PID/stat */

#pragma GCC visibility push(hidden)

/* Reads the beginning of a file of the kernel as text; false: there is none. */
bool lg_read_text(const char *path, char *text, size_t room);
/* Reads what the kernel says of a process, and returns where that goes on behind its name; NULL: there is none. A signal
 * handler may ask. */
const char *lg_read_stat(int pid, char stat[LG_STAT]);
/* Since when it is there, in ticks since boot; 0: it is not. */
uint64_t lg_process_began(int pid);

#pragma GCC visibility pop
