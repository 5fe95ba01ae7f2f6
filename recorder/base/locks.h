/* Two locks, taken in this order. Tables: communicators, requests, channels;
 * only the program's threads use them, so the lock costs nothing while there is
 * one thread. File: records, modules, unwinding; the watch thread and signal
 * handlers need it too. The holder may take the file lock again. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

extern bool lg_shared; /* more than one of the program's threads may be in the recorder at once */

void lg_lock_tables(void);
void lg_unlock_tables(void);
void lg_lock_file(void);
bool lg_trylock_file(void);   /* false also when this thread holds it */
bool lg_lock_file_soon(void); /* false: its holder may be waiting for what this thread holds */
void lg_unlock_file(void);
bool lg_file_mine(void); /* this thread holds it */

#pragma GCC visibility pop
