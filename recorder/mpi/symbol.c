#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/close.h"
#include "mpi/symbol.h"
#include "mpi/table.h"

#define MPI_ERR_OTHER_CLASS 16 /* an error class of every MPI */

/* base_of is where the object begins that has an address; NULL: none does. */
static const void *base_of(const void *at)
{
  Dl_info where;
  return dladdr(at, &where) ? where.dli_fbase : NULL;
}

/* The names of loaded objects, one behind the other, each with its zero byte. */
struct names {
  char *at;
  size_t room, used;
};

/* copy_name is called with a lock of the dynamic loader, in which dlopen in another thread may wait for this one: so it asks nothing. */
static int copy_name(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct names *n = arg;
  (void)size;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "mpi"))
    return 0;
  size_t bytes = strlen(info->dlpi_name) + 1;
  if (n->used + bytes <= n->room)
    memcpy(n->at + n->used, info->dlpi_name, bytes);
  n->used += bytes;
  return 0;
}

static struct names mpi_objects(void)
{
  struct names n = {0};
  dl_iterate_phdr(copy_name, &n);
  n = (struct names){.at = malloc(n.used), .room = n.used};
  if (n.at)
    dl_iterate_phdr(copy_name, &n);
  return n;
}

/* find_in looks in one loaded object and in what it depends on, but for the recorder itself. An object of another MPI, which a
 * plugin may have brought along, does not count: its MPI_Init is another one. NULL: any counts. */
static void *find_in(const char *object, const char *name, const void *init)
{
  void *h = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
  if (!h)
    return NULL;
  void *p = dlsym(h, name);
  if (init && dlsym(h, "PMPI_Init") != init)
    p = NULL;
  lg_close(h);
  return p && base_of(p) != base_of((void *)find_in) ? p : NULL;
}

static void *find_by_name(const char *name, const void *init)
{
  struct names n = mpi_objects();
  size_t end = n.used < n.room ? n.used : n.room;
  void *p = NULL;
  for (size_t i = 0; n.at && i < end && !p; i += strlen(n.at + i) + 1)
    p = find_in(n.at + i, name, init);
  free(n.at);
  return p;
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
  static void *init; /* of the MPI in use */
  void *p = next_object(name), *known = __atomic_load_n(&init, __ATOMIC_ACQUIRE);
  if (p)
    return p;
  if (!known) {
    known = next_object("PMPI_Init");
    known = known ? known : find_by_name("PMPI_Init", NULL); /* loaded with RTLD_LOCAL, as Python does */
    __atomic_store_n(&init, known, __ATOMIC_RELEASE);
  }
  return find_by_name(name, known);
}

/* is_mpi tells whether the object of a function has its profiling entry, too: then it is the MPI library, and no tool before it. */
static bool is_mpi(const void *function, const char *profiling)
{
  Dl_info where;
  void *h = dladdr(function, &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!h)
    return false;
  void *own = dlsym(h, profiling);
  lg_close(h);
  return own && base_of(own) == where.dli_fbase;
}

/* tool_before is the function of a profiling library between the recorder and MPI, which forwards to the profiling entry p; p itself
 * if there is none. */
static void *tool_before(void *p, const char *profiling)
{
  void *next = dlsym(RTLD_NEXT, profiling + 1);
  return next && base_of(next) != base_of(p) && !is_mpi(next, profiling) ? next : p;
}

static long missing(void)
{
  return MPI_ERR_OTHER_CLASS; /* the program asked for a function that its MPI lacks */
}

/* lg_resolve finds what a wrapper forwards to: the profiling entry, or where a
 * binding has none, or another library has wrappers, the entry of the same name behind ours. */
void *lg_resolve(int entry)
{
  const char *name = lg_entry_names[entry];
  char other[96];
  void *p = lg_find_symbol(name);
  if (!p && strncmp(name, "pmpi_", 5) == 0) { /* MPICH's mpi_f08 */
    snprintf(other, sizeof other, "pmpir_%s", name + 5);
    p = lg_find_symbol(other);
  }
  p = p ? tool_before(p, name) : lg_find_symbol(name + 1);
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
