#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include "mpi/symbol.h"
#include "mpi/table.h"

#define MPI_ERR_OTHER_CLASS 16 /* an error class of every MPI */

/* find_in asks one loaded object, so that an MPI loaded with RTLD_LOCAL (as
 * Python does) is found too. */
struct search {
  const char *name;
  const void *self;
  void *found;
};

static int find_in(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct search *s = arg;
  (void)size;
  if (!info->dlpi_name || !*info->dlpi_name || !strstr(info->dlpi_name, "mpi"))
    return 0;
  void *h = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!h)
    return 0;
  void *p = dlsym(h, s->name);
  Dl_info where;
  if (p && dladdr(p, &where) && where.dli_fbase != s->self)
    s->found = p;
  dlclose(h);
  return s->found != NULL;
}

/* next_object looks in the libraries that the program itself is bound to. One that only
 * translates to another MPI, which it loads for itself, may have no profiling entries: its
 * own functions come before the entries of the other. */
static void *next_object(const char *name)
{
  void *p = dlsym(RTLD_NEXT, name);
  return p || strncmp(name, "PMPI_", 5) != 0 ? p : dlsym(RTLD_NEXT, name + 1);
}

void *lg_find_symbol(const char *name)
{
  void *p = next_object(name);
  if (p)
    return p;
  Dl_info self;
  struct search s = {.name = name};
  if (dladdr((void *)lg_find_symbol, &self))
    s.self = self.dli_fbase;
  dl_iterate_phdr(find_in, &s);
  return s.found;
}

static long missing(void)
{
  return MPI_ERR_OTHER_CLASS; /* the program asked for a function that its MPI lacks */
}

/* lg_resolve finds what a wrapper forwards to: the profiling entry, or where a
 * binding has none, the entry of the same name behind ours. */
void *lg_resolve(int entry)
{
  const char *name = lg_entry_names[entry];
  char other[96];
  void *p = lg_find_symbol(name);
  if (!p && strncmp(name, "pmpi_", 5) == 0) { /* MPICH's mpi_f08 */
    snprintf(other, sizeof other, "pmpir_%s", name + 5);
    p = lg_find_symbol(other);
  }
  if (!p)
    p = lg_find_symbol(name + 1);
  if (!p) {
    fprintf(stderr, "laggard: this MPI has no %s\n", name + 1);
    p = (void *)missing;
  }
  __atomic_store_n(&lg_real[entry], p, __ATOMIC_RELAXED);
  return p;
}

void *lg_visible(const char *name)
{
  void *p = dlsym(RTLD_DEFAULT, name); /* data may have been copied into the program */
  return p ? p : lg_find_symbol(name);
}
