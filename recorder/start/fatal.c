/* Errors over which MPI ends the job instead of returning, as it does unless the program asks for something else. What a library calls
 * on the way there is noted here, and goes on to it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/recording.h"
#include "calls/argument.h"
#include "calls/failed.h"
#include "file/rank.h"
#include "format.h"
#include "identity/thread.h"
#include "mpi/family.h"
#include "mpi/symbol.h"
#include "start/ends.h"
#include "start/realfunction.h"

#define REAL(name) \
  ((__typeof__(&name))lg_real_function(#name, (void *)name, libraries, __builtin_return_address(0), &known))

static const char *const libraries[] = {"libmpi.so.40", NULL};

/* by_mpi tells whether an address is in the MPI library. */
static bool by_mpi(const void *pc)
{
  Dl_info caller, mpi;
  return dladdr(pc, &caller) && dladdr(lg_find_symbol("PMPI_Init"), &mpi) && caller.dli_fbase == mpi.dli_fbase;
}

/* in_call tells whether the calling thread is in a call of MPI that may have failed. */
static bool in_call(void)
{
  const struct lg_thr *t = lg_self;
  return t && !lg_off && lg_is_rank() && t->pub->in_mpi && t->pub->kind != LG_OP_ABORT && lg_rank->end != LG_ABORTED;
}

static void note(int code, const char *says)
{
  int err = errno;
  if (in_call()) {
    lg_failed_for_good(lg_self, code, says);
    lg_note_refused(lg_self, (uint32_t)(code & lg_fam.class_mask));
    lg_note_error();
  }
  errno = err;
}

/* ---- Open MPI ---- */

struct ompi_communicator_t;
int ompi_mpi_abort(struct ompi_communicator_t *comm, int code);

/* The library calls it by its exported name, with the error code. */
LG_EXPORT int ompi_mpi_abort(struct ompi_communicator_t *comm, int code)
{
  static void *known;
  note(code, NULL);
  __typeof__(&ompi_mpi_abort) real = REAL(ompi_mpi_abort);
  if (!real)
    abort(); /* nothing could have called it */
  return real(comm, code);
}

/* ---- MPICH ---- */

/* note_message notes what MPICH says before it ends the job, as in "Abort(139278) on node 1 (rank 1 in comm 0): Fatal error in
 * internal_Recv: Message truncated, error stack: …". It may hold its lock here, so it is not asked. */
static void note_message(const char *text)
{
  static const char starts[] = "Abort(%d)", fatal[] = "Fatal error in ";
  int code;
  const char *error = strstr(text, fatal), *says = error ? strstr(error, ": ") : NULL;
  if (says && sscanf(text, starts, &code) == 1)
    note(code, says + 2);
}

LG_EXPORT int fputs(const char *text, FILE *f)
{
  static void *known;
  if (f == stderr && lg_self && by_mpi(__builtin_return_address(0)))
    note_message(text);
  return REAL(fputs)(text, f);
}

/* It flushes what it said, and is killed before it would exit. */
LG_EXPORT int fflush(FILE *f)
{
  static void *known;
  if (f == stderr && lg_self && by_mpi(__builtin_return_address(0)))
    lg_note_error();
  return REAL(fflush)(f);
}
