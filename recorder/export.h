/* What liblaggard.so offers to liblaggard-libc.so. The symbols are weak: where
 * the first library is missing the second only forwards calls. */
#ifndef LAGGARD_EXPORT_H
#define LAGGARD_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LG_OFFERED __attribute__((weak, visibility("default")))

/* Whether LAGGARD_RECORD names it. */
LG_OFFERED bool laggard_records(const char *what);

/* Whether recording is under way in this process. It begins with the first MPI
 * call, and never is in a forked child. */
LG_OFFERED bool laggard_recording(void);

/* Adds bytes to what this call stack has sent: that of the call of `function`
 * with this return address and canonical frame address. Nothing is added while
 * this thread is in the recorder itself. `function` must be one pointer for one
 * name, and last. */
LG_OFFERED void laggard_sent(const char *function, size_t bytes, uint64_t ra, uint64_t cfa);

#endif
