/* The second library of the recorder, liblaggard-libc.so. It interposes
 * functions of the C library and is preloaded, behind liblaggard.so, only when
 * what it sees is to be recorded. It forwards every call first and then tells
 * what was done: net.c the bytes that went through a socket or between
 * processes, to whoever wants them (moved.c). What is written down, and where,
 * is known to liblaggard.so alone, which is asked by the functions of
 * export.h. */
#pragma once

#include <sys/types.h>
#include <sys/uio.h>
#include "base/base.h"
#include "machine/machine.h"

/* LG_REAL(f) is the function f that would be called without this library. All
 * are found when the library is loaded, lest a signal handler have to. */
#define LG_DECLARE_REAL(f) static __typeof__(f) *real_##f;
#define LG_FIND_REAL(f) real_##f = (__typeof__(f) *)dlsym(RTLD_NEXT, #f);
#define LG_REAL(f)              \
  ({                            \
    if (unlikely(!real_##f))    \
      LG_FIND_REAL(f)           \
    real_##f;                   \
  })

/* What is to be recorded; 0 before the library is ready and if liblaggard.so is
 * not there. */
enum { LG_WANTS_VOLUME = 1, LG_WANTS_MOVEMENT = 2 };
extern unsigned lg_wants;

/* A call that moved bytes through a socket or between processes. */
struct lg_io {
  const char *function; /* such as "writev": the same pointer for the same function */
  bool out;             /* bytes went out of this process's buffers */
  int fd;               /* -1: between the memories of two processes */
  const struct iovec *iov; /* the buffers; the first `bytes` bytes of them were used */
  size_t niov;             /* 0: it has none (sendfile) */
  size_t bytes;            /* that were moved, at least 1 */
  uint64_t ra, cfa;        /* of the wrapper */
  pid_t pid;               /* fd -1: the other process, and where in it */
  const struct iovec *remote;
  size_t nremote;
};

/* Tells those who want it. errno stays as it is. */
void lg_moved(const struct lg_io *io);

/* The same for data movement, by the connection behind the descriptor. */
void lg_connection_moved(const struct lg_io *io);
void lg_allocators_start(void); /* those of LAGGARD_ALLOCATORS */
void lg_connection_gone(int fd); /* its number may come to mean another */
