/* What liblaggard.so offers to liblaggard-libc.so. The symbols are weak: where
 * the first library is missing the second only forwards calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

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

/* ---- data movement ----
 * `function` is as above; ra and cfa are those of the wrapper. Events of modules
 * that are not of interest are left out, and those of a thread that is writing
 * another one down. errno stays as it is. */

LG_OFFERED bool laggard_moving(void); /* whether it is being recorded now */
LG_OFFERED void laggard_allocated(const char *function, const void *p, size_t n, uint64_t ra, uint64_t cfa);
LG_OFFERED void laggard_freed(const void *p, uint64_t ra);
/* A buffer of `had` bytes became one of n; it may have moved, and its content with it. */
LG_OFFERED void laggard_resized(const char *function, const void *was, size_t had, const void *p, size_t n, uint64_t ra, uint64_t cfa);
LG_OFFERED void laggard_copied(const char *function, void *to, const void *from, size_t n, uint64_t ra, uint64_t cfa);

/* One end of a way for bytes from or to another process. */
struct laggard_end {
  uint32_t index; /* number within the process; a descriptor that is used again gets a new one */
  uint8_t kind;   /* enum lg_end_kind */
  uint8_t bytes;  /* in use of each of the two */
  unsigned char own[20], other[20]; /* what the ends are called; the same at the other process, the other way round */
  uint32_t lane;  /* which thread has told of it, and in which block; set by the recorder */
  uint64_t block;
};

/* Bytes that went out of, or came into, the buffers; `offset` of the first of
 * them, among all that went that way. */
LG_OFFERED void laggard_transferred(const char *function, bool out, struct laggard_end *e, uint64_t offset, const struct iovec *iov, size_t bytes,
                                    uint64_t ra, uint64_t cfa);
