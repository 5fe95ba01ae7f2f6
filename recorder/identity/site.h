/* Call stacks below MPI: which ones there are, and which of them a call is. */
#pragma once

#include "base/base.h"

/* A call into the C library, or into whatever else a preloaded function is
 * interposed on, by its stack. It belongs to the whole process. */
struct lg_site {
  uint64_t hash;
  const char *function;
  const uint64_t *frames; /* in the file */
  uint32_t index, nframes;
  uint32_t flags; /* enum lg_stack_flag */
  uint64_t *calls, *bytes; /* in the file, to be changed atomically */
};

#pragma GCC visibility push(hidden)

/* The site of a call of `function` (a pointer that lasts and is the same for the
 * same name) by the wrapper with this return address and CFA, in any thread; a
 * hit takes no lock. NULL: nothing is to be recorded. */
struct lg_site *lg_site_find(const char *function, uint64_t ra, uint64_t cfa);
struct lg_site *lg_site_at(const char *function, uint64_t ra); /* the same of a return address alone */
void lg_site_start(void);

#pragma GCC visibility pop
