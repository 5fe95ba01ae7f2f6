/* A thread that calls MPI: its record in the file, and the private half. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "identity/state.h"
#include "machine/machine.h"
#include "mpi/call.h"

#define LG_POLL_ARGS 8

struct lg_empty_poll { /* the last poll, if it was unsuccessful, to recognise the next one as the same */
  struct lg_st *st;             /* NULL: the last call was no such poll */
  long given[LG_POLL_ARGS];     /* its arguments as the program gave them */
  long args[LG_POLL_ARGS];      /* and as MPI was given them */
  int requests; /* in the program's array, of which the handles are kept */
  struct lg_call call;
};

/* Registers of a thread inside an MPI call, the latest ones: number n is at n mod LG_SAMPLES. */
#define LG_SAMPLES 32
struct lg_samples {
  uint64_t v[LG_SAMPLES][NREGS];
  uint32_t taken; /* how many, all in all */
  uint32_t first; /* the number of the first one inside the present call */
  uint64_t calls; /* that call */
  bool asked;         /* for one more, which it has not taken yet */
  uint32_t asked_at;  /* how many it had taken then */
  uint64_t asked_ran; /* how long it had run then, ns; UINT64_MAX unknown */
};

struct lg_thr {
  uint64_t outer_cfa, outer_ra; /* of the MPI call in progress; 0 outside */
  struct lg_thread *pub;        /* the record */
  const struct lg_call *call;   /* the MPI call in progress, while outer_cfa is set */
  struct lg_model model;
  struct lg_empty_poll empty;
  uint64_t poll_mark; /* `progress` + 1 when the list of polled things was begun; 0 none */
  long *handles;      /* handles as they were before a wait or test */
  char *statuses;     /* used in place of MPI_STATUS(ES)_IGNORE */
  uint32_t room;      /* of both */
  struct lg_usage *usage; /* of the recording of usage; NULL: nothing yet */
  struct lg_thr *next; /* all threads, never shortened */
  uint32_t bound_gen; /* of lg_module_gen, when its calls were last found to be for the MPI that is recorded */
  bool in_use;
  int tid;
  uint64_t pthread; /* its pthread_t */
  uint64_t stack_pc, stack_sp; /* where it was when its stack was captured last */
  uint64_t ran; /* ns on a processor, as of the last look of the watch thread */
  uint64_t waited; /* ns that it would have run but was given no processor, as of the watch thread's last look */
  uint64_t raised; /* a hash of the exception that was recorded last */
  uint64_t file_lock; /* a hash of the lock of a file, and of who has it, that was recorded last */
  struct lg_thrown *thrown; /* the exception of C++ that it threw last; NULL none */
  struct lg_samples samples;
  bool starved; /* it did not run since that look, though it was ready to */
};

#pragma GCC visibility push(hidden)

extern struct lg_thr *lg_threads;
extern __thread struct lg_thr *lg_self __attribute__((tls_model("initial-exec")));
struct lg_thr *lg_thread_register(void); /* of the calling thread; NULL: the recording is turned off */

#pragma GCC visibility pop

/* lg_is_outer: the MPI call in progress is on the stack. One that was left by longjmp or an exception no longer is: its
 * return address is not in its place. */
static inline bool lg_is_outer(const struct lg_thr *t)
{
  return t->outer_cfa && lg_code(((const uint64_t *)t->outer_cfa)[-1]) == t->outer_ra;
}

/* lg_within: a frame is below that of an MPI call, because the library calls
 * itself or a callback of the program calls it. */
static inline bool lg_within(const struct lg_thr *t, uint64_t cfa)
{
  return t->outer_cfa && cfa < t->outer_cfa && lg_is_outer(t);
}
