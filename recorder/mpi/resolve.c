#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "base/close.h"
#include "mpi/binding.h"
#include "mpi/resolve.h"
#include "mpi/symbol.h"
#include "mpi/table.h"

#define MPI_ERR_OTHER_CLASS 16 /* an error class of every MPI */

/* is_mpi tells whether the object of a function has its profiling entry, too: then it is the MPI library, and no tool before it. */
static bool is_mpi(const void *function, const char *profiling)
{
  Dl_info where;
  void *h = dladdr(function, &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!h)
    return false;
  void *own = dlsym(h, profiling);
  lg_close(h);
  return own && lg_base_of(own) == where.dli_fbase;
}

/* tool_before is the function of a profiling library between the recorder and MPI, which forwards to the profiling entry p; p itself
 * if there is none. */
static void *tool_before(void *p, const char *profiling)
{
  void *next = dlsym(RTLD_NEXT, profiling + 1);
  return next && lg_base_of(next) != lg_base_of(p) && !is_mpi(next, profiling) ? next : p;
}

static long missing(void)
{
  return MPI_ERR_OTHER_CLASS; /* the program asked for a function that its MPI lacks */
}

/* What a library that knows nothing of it would say to MPIX_Query_cuda_support and its like, which programs look for by name. */
static long no(void)
{
  return 0;
}

static void *find_missing(const char *name)
{
  if (strncmp(name, "MPIX_Query_", 11) == 0)
    return (void *)no;
  fprintf(stderr, "laggard: this MPI has no %s\n", name);
  return (void *)missing;
}

/* find_behind finds the profiling entry, or where a binding has none, or another library has wrappers, the entry of the same name
 * behind ours. */
static void *find_behind(const char *name)
{
  char other[96];
  void *p = lg_find_symbol(name);
  if (!p && strncmp(name, "pmpi_", 5) == 0) { /* MPICH's mpi_f08 */
    snprintf(other, sizeof other, "pmpir_%s", name + 5);
    p = lg_find_symbol(other);
  }
  return p ? tool_before(p, name) : lg_find_symbol(name + 1);
}

void *lg_resolve(int entry, uint64_t ra)
{
  const char *name = lg_entry_names[entry];
  void *p = lg_bound_elsewhere(name + 1, ra);
  if (p)
    return p;
  p = find_behind(name);
  p = p ? p : find_missing(name + 1);
  __atomic_store_n(&lg_real[entry], p, __ATOMIC_RELAXED);
  return p;
}
