/* What a thread asleep outside MPI waits for: another thread, as the memory that it sleeps on tells, or the lock of a file. */
#pragma once

#include "base/base.h"
#include "format.h"

struct lg_awaits {
  uint32_t what; /* enum lg_awaited */
  uint32_t tid;  /* of the thread, or the number of the process that has the lock of a file or a mutex; 0 where there is none */
  int fd;        /* of that file, else -1 */
};

#pragma GCC visibility push(hidden)

/* Of a thread that sleeps on the futex at an address. forever: it sets no limit to that, as who waits for the lock of an interpreter does
 * in turns. shared: processes may share it. */
struct lg_awaits lg_awaits_on(int tid, uint64_t futex, bool forever, bool shared);

/* Of a thread behind a system call with such a first argument: the lock of an interpreter, if it is for that. */
struct lg_awaits lg_awaits_interpreter(int tid, uint64_t futex);

#pragma GCC visibility pop
