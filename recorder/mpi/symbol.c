#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include "base/close.h"
#include "mpi/symbol.h"

const void *lg_base_of(const void *at)
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
  return p && lg_base_of(p) != lg_base_of((void *)find_in) ? p : NULL;
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

void *lg_visible(const char *name)
{
  void *p = dlsym(RTLD_DEFAULT, name); /* data may have been copied into the program */
  return p ? p : lg_find_symbol(name);
}
