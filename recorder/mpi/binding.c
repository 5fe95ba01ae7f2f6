#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/close.h"
#include "base/references.h"
#include "mpi/binding.h"
#include "mpi/symbol.h"

#define MAX_NAME 96

struct module {
  uint64_t bias;
  const void *dynamic;
  uint64_t read_only, read_only_end; /* addresses that the loader protected when it was done */
  char *path;                        /* "" the program itself */
  bool concerned;                    /* it has references that may be wrong */
};

struct modules {
  struct module *at;
  size_t n, room;
  char *paths; /* of all of them, each with its zero byte */
  size_t bytes, path_room;
  bool local; /* see lg_mpi_local */
  uint64_t own, own_end;
};

static bool is_own(const struct modules *all, uint64_t address)
{
  return address >= all->own && address < all->own_end;
}

static bool is_of_mpi(const char *name)
{
  return strncmp(name, "MPI", 3) == 0 || strncmp(name, "mpi_", 4) == 0;
}

struct scan {
  struct modules *all;
  struct module *m;
};

/* A reference that is bound when it is first called cannot be told by its address. */
static void consider(void *arg, const struct lg_reference *r)
{
  const struct scan *s = arg;
  if (r->weak ? is_own(s->all, *r->slot) : s->all->local && is_of_mpi(r->name))
    s->m->concerned = true;
}

/* note_module is called with a lock of the dynamic loader, in which dlopen in another thread may wait for this one: so it asks nothing. The
 * first round counts. */
static int note_module(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct modules *all = arg;
  (void)size;
  const char *path = info->dlpi_name ? info->dlpi_name : "";
  size_t bytes = strlen(path) + 1;
  if (all->n < all->room && all->bytes + bytes <= all->path_room) {
    struct module *m = &all->at[all->n];
    *m = (struct module){.bias = info->dlpi_addr, .path = memcpy(all->paths + all->bytes, path, bytes)};
    for (int i = 0; i < info->dlpi_phnum; i++) {
      const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
      if (ph->p_type == PT_DYNAMIC) {
        m->dynamic = (const void *)(info->dlpi_addr + ph->p_vaddr);
      } else if (ph->p_type == PT_GNU_RELRO) {
        m->read_only = info->dlpi_addr + ph->p_vaddr;
        m->read_only_end = m->read_only + ph->p_memsz;
      }
    }
    if (!is_own(all, (uint64_t)m->dynamic))
      lg_each_reference(m->bias, m->dynamic, consider, &(struct scan){all, m});
  }
  all->n++;
  all->bytes += bytes;
  return 0;
}

/* find_own finds where the recorder itself is. */
static int find_own(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct modules *all = arg;
  uint64_t lo = UINT64_MAX, hi = 0, here = (uint64_t)find_own;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    if (ph->p_type != PT_LOAD)
      continue;
    lo = info->dlpi_addr + ph->p_vaddr < lo ? info->dlpi_addr + ph->p_vaddr : lo;
    hi = info->dlpi_addr + ph->p_vaddr + ph->p_memsz > hi ? info->dlpi_addr + ph->p_vaddr + ph->p_memsz : hi;
  }
  if (here < lo || here >= hi)
    return 0;
  all->own = lo;
  all->own_end = hi;
  return 1;
}

bool lg_mpi_local;

static bool is_local(void)
{
  return !dlsym(RTLD_NEXT, "PMPI_Init") && !dlsym(RTLD_NEXT, "MPI_Init");
}

/* is_offered tells whether a reference would be bound without the recorder: by the libraries of the program, or those of the module. */
static bool is_offered(const struct modules *all, void *module, const char *name)
{
  if (dlsym(RTLD_NEXT, name))
    return true;
  void *p = module ? dlsym(module, name) : NULL;
  return p && !is_own(all, (uint64_t)p);
}

/* has_other_mpi tells whether what a module depends on has functions of MPI that are none of the MPI which is recorded. A library that
 * translates to another MPI may have no profiling entries, but tells its version. */
static bool has_other_mpi(const struct modules *all, void *module)
{
  void *init = dlsym(module, "PMPI_Init"), *version = dlsym(module, "MPI_Get_library_version");
  if (init)
    return init != lg_find_symbol("PMPI_Init");
  return !version || is_own(all, (uint64_t)version);
}

struct correction {
  const struct modules *all;
  const struct module *m;
  void *module; /* a handle; NULL: of the program itself, which is bound to what comes first */
  bool other;   /* see has_other_mpi */
};

static void correct(void *arg, const struct lg_reference *r)
{
  const struct correction *c = arg;
  if (!is_of_mpi(r->name))
    return;
  bool read_only = (uint64_t)r->slot >= c->m->read_only && (uint64_t)r->slot < c->m->read_only_end;
  void *p = c->other ? dlsym(c->module, r->name) : NULL;
  if (p && !is_own(c->all, (uint64_t)p))
    lg_bind(r->slot, (uint64_t)p, read_only);
  else if (r->weak && is_own(c->all, *r->slot) && !is_offered(c->all, c->module, r->name))
    lg_bind(r->slot, 0, read_only);
}

static void correct_module(const struct modules *all, const struct module *m)
{
  struct correction c = {all, m, NULL, false};
  if (*m->path) {
    c.module = dlopen(m->path, RTLD_LAZY | RTLD_NOLOAD); /* and so it cannot go away meanwhile */
    if (!c.module)
      return;
    c.other = all->local && has_other_mpi(all, c.module);
  }
  lg_each_reference(m->bias, m->dynamic, correct, &c);
  if (c.module)
    lg_close(c.module);
}

void lg_bindings_correct(void)
{
  struct modules all = {.local = is_local()};
  lg_mpi_local = all.local;
  if (!dl_iterate_phdr(find_own, &all))
    return;
  dl_iterate_phdr(note_module, &all);
  all.room = all.n;
  all.path_room = all.bytes;
  all.at = malloc(all.room * sizeof *all.at);
  all.paths = malloc(all.path_room);
  all.n = all.bytes = 0;
  if (all.at && all.paths)
    dl_iterate_phdr(note_module, &all);
  for (size_t i = 0; i < all.n && i < all.room; i++)
    if (all.at[i].concerned)
      correct_module(&all, &all.at[i]);
  free(all.at);
  free(all.paths);
}

/* named_in is a function that a module finds by the name, or for a name of Fortran by another form of it. */
static void *named_in(const struct modules *all, void *module, const char *name)
{
  char other[MAX_NAME];
  void *p = dlsym(module, name);
  size_t n = strlen(name);
  if (!p && n && n + 1 < sizeof other && name[n - 1] == '_') {
    snprintf(other, sizeof other, "%s_", name); /* mpi_x__ */
    p = dlsym(module, other);
    other[n - 1] = 0; /* mpi_x */
    p = p ? p : dlsym(module, other);
    for (char *s = other; *s; s++)
      *s = (char)toupper((unsigned char)*s);
    p = p ? p : dlsym(module, other);
  }
  return p && !is_own(all, (uint64_t)p) ? p : NULL;
}

void *lg_bound_elsewhere(const char *name, uint64_t at)
{
  static void *last; /* a module that was found to be bound to the MPI: to find that out takes a while */
  struct modules all = {.local = is_local()};
  Dl_info where;
  if (!all.local || !dladdr((void *)at, &where) || where.dli_fbase == __atomic_load_n(&last, __ATOMIC_RELAXED) ||
      !dl_iterate_phdr(find_own, &all))
    return NULL;
  void *module = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD), *p = NULL;
  if (!module)
    return NULL;
  if (has_other_mpi(&all, module))
    p = named_in(&all, module, name);
  else
    __atomic_store_n(&last, where.dli_fbase, __ATOMIC_RELAXED);
  lg_close(module);
  return p;
}

static void __attribute__((constructor)) correct_program(void)
{
  lg_bindings_correct();
}
