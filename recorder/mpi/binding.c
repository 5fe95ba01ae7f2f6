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
#include "stack/modules.h"

#define MAX_NAME 96
#define CALLERS 4 /* modules of which a thread remembers that they are bound to MPI */

struct module {
  struct lg_module_parts parts;
  uint64_t bias;
  const char *path; /* "" the program itself */
  bool concerned;   /* it has references that may be wrong */
};

struct process {
  struct module *modules;
  size_t n, room; /* how many there are, and may be */
  char *paths;    /* of all of them, each with its zero byte */
  size_t bytes, path_room;
  bool local;                 /* see lg_mpi_local */
  struct lg_module_parts own; /* the recorder's */
  void *init;                 /* of the MPI that is recorded; NULL: there is none */
};

bool lg_mpi_local;

static bool contains(const struct lg_module_parts *m, uint64_t address)
{
  return address >= m->lo && address < m->hi;
}

static bool is_of_mpi(const char *name)
{
  return strncmp(name, "MPI", 3) == 0 || strncmp(name, "mpi_", 4) == 0;
}

static bool is_local(void)
{
  return !dlsym(RTLD_NEXT, "PMPI_Init") && !dlsym(RTLD_NEXT, "MPI_Init");
}

struct scan {
  const struct process *p;
  struct module *m;
};

/* A reference that is bound when it is first called cannot be told by its address. */
static void consider(void *arg, const struct lg_reference *r)
{
  const struct scan *s = arg;
  if (r->weak ? contains(&s->p->own, *r->slot) : s->p->local && is_of_mpi(r->name))
    s->m->concerned = true;
}

/* note_module is called with a lock of the dynamic loader, in which dlopen in another thread may wait for this one: so it asks nothing. The
 * first round counts. */
static int note_module(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct process *p = arg;
  (void)size;
  const char *path = info->dlpi_name ? info->dlpi_name : "";
  size_t bytes = strlen(path) + 1;
  if (p->n < p->room && p->bytes + bytes <= p->path_room) {
    struct module *m = &p->modules[p->n];
    *m = (struct module){.parts = lg_parts_of(info), .bias = info->dlpi_addr, .path = memcpy(p->paths + p->bytes, path, bytes)};
    if (m->parts.lo != p->own.lo)
      lg_each_reference(m->bias, m->parts.dynamic, consider, &(struct scan){p, m});
  }
  p->n++;
  p->bytes += bytes;
  return 0;
}

struct search {
  uint64_t at;
  struct lg_module_parts found;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct search *s = arg;
  (void)size;
  struct lg_module_parts m = lg_parts_of(info);
  if (!contains(&m, s->at))
    return 0;
  s->found = m;
  return 1;
}

static bool find_parts(uint64_t at, struct lg_module_parts *out)
{
  struct search s = {.at = at};
  bool found = dl_iterate_phdr(find_module, &s) != 0;
  *out = s.found;
  return found;
}

/* is_offered tells whether a reference would be bound without the recorder: by the libraries of the program, or those of the module. */
static bool is_offered(const struct process *p, void *module, const char *name)
{
  if (dlsym(RTLD_NEXT, name))
    return true;
  void *f = module ? dlsym(module, name) : NULL;
  return f && !contains(&p->own, (uint64_t)f);
}

/* has_other_mpi tells whether what a module depends on has functions of MPI that are none of the MPI which is recorded. A library that
 * translates to another MPI may have no profiling entries, but tells its version. */
static bool has_other_mpi(const struct process *p, void *module)
{
  void *init = dlsym(module, "PMPI_Init"), *version = dlsym(module, "MPI_Get_library_version");
  if (init)
    return init != p->init;
  return !version || contains(&p->own, (uint64_t)version);
}

struct correction {
  const struct process *p;
  const struct module *m;
  void *library; /* a handle of the module; NULL: of the program itself, which is bound to what comes first */
  bool other;    /* see has_other_mpi */
};

/* correct leaves what others than the loader have bound. What is bound at the first call leads to the module's own code until then. */
static void correct(void *arg, const struct lg_reference *r)
{
  const struct correction *c = arg;
  uint64_t now = *r->slot;
  bool ours = contains(&c->p->own, now);
  if (!is_of_mpi(r->name) || (!ours && (r->data || !contains(&c->m->parts, now))))
    return;
  void *f = c->other ? dlsym(c->library, r->name) : NULL;
  if (f && (uint64_t)f != now && !contains(&c->p->own, (uint64_t)f))
    lg_bind(&c->m->parts, r->slot, (uint64_t)f);
  else if (!f && r->weak && ours && !is_offered(c->p, c->library, r->name))
    lg_bind(&c->m->parts, r->slot, 0);
}

/* hold gives a handle of a module, by which it cannot go away; NULL: it is no longer that one. */
static void *hold(const struct module *m)
{
  void *library = dlopen(m->path, RTLD_LAZY | RTLD_NOLOAD);
  const struct link_map *map = library; /* of the GNU C library */
  if (map && map->l_addr == m->bias && (const void *)map->l_ld == m->parts.dynamic)
    return library;
  if (library)
    lg_close(library);
  return NULL;
}

static void correct_module(const struct process *p, const struct module *m)
{
  struct correction c = {p, m, NULL, false};
  if (*m->path) {
    c.library = hold(m);
    if (!c.library)
      return;
    c.other = p->local && has_other_mpi(p, c.library);
  }
  lg_each_reference(m->bias, m->parts.dynamic, correct, &c);
  if (c.library)
    lg_close(c.library);
}

static void correct_all(struct process *p)
{
  if (!find_parts((uint64_t)correct_all, &p->own))
    return;
  dl_iterate_phdr(note_module, p);
  p->room = p->n;
  p->path_room = p->bytes;
  p->modules = calloc(p->room, sizeof *p->modules);
  p->paths = malloc(p->path_room);
  p->n = p->bytes = 0;
  if (p->modules && p->paths)
    dl_iterate_phdr(note_module, p);
  for (size_t i = 0; i < p->n && i < p->room; i++) {
    if (!p->modules[i].path || !p->modules[i].concerned)
      continue;
    if (!p->init) /* in most processes nothing is concerned, and nobody has to look for an MPI */
      p->init = lg_find_symbol("PMPI_Init");
    correct_module(p, &p->modules[i]);
  }
  free(p->modules);
  free(p->paths);
}

void lg_bindings_correct(void)
{
  static uint64_t corrected;
  static bool busy; /* what another thread does is enough */
  uint64_t now = lg_loader_state();
  if (now == __atomic_load_n(&corrected, __ATOMIC_ACQUIRE) || __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
    return;
  struct process p = {.local = is_local()};
  lg_mpi_local = p.local;
  correct_all(&p);
  __atomic_store_n(&corrected, now, __ATOMIC_RELEASE);
  __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

/* named_in is a function that a library finds by the name, or for a name of Fortran by another form of it. */
static void *named_in(const struct process *p, void *library, const char *name)
{
  char other[MAX_NAME];
  void *f = dlsym(library, name);
  size_t n = strlen(name);
  if (!f && n && n + 1 < sizeof other && name[n - 1] == '_') {
    snprintf(other, sizeof other, "%s_", name); /* mpi_x__ */
    f = dlsym(library, other);
    other[n - 1] = 0; /* mpi_x */
    f = f ? f : dlsym(library, other);
    for (char *s = other; *s; s++)
      *s = (char)toupper((unsigned char)*s);
    f = f ? f : dlsym(library, other);
  }
  return f && !contains(&p->own, (uint64_t)f) ? f : NULL;
}

/* The modules of this thread's calls that were found to be bound to the MPI, as of a number of unloaded modules: to ask the loader takes
 * microseconds. */
static __thread struct caller {
  uint64_t lo, hi;
  uint32_t gen;
} callers[CALLERS] __attribute__((tls_model("initial-exec")));
static __thread uint32_t oldest __attribute__((tls_model("initial-exec")));

static bool is_known(uint64_t at, uint32_t gen)
{
  for (int i = 0; i < CALLERS; i++)
    if (at >= callers[i].lo && at < callers[i].hi && callers[i].gen == gen)
      return true;
  return false;
}

void *lg_bound_elsewhere(const char *name, uint64_t at)
{
  uint32_t gen = __atomic_load_n(&lg_unload_gen, __ATOMIC_ACQUIRE);
  struct lg_module_parts m;
  Dl_info where;
  if (is_known(at, gen) || !dladdr((void *)at, &where) || !is_local() || !find_parts(at, &m))
    return NULL;
  struct process p = {.init = lg_find_symbol("PMPI_Init")};
  void *library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD), *f = NULL;
  if (!library || !find_parts((uint64_t)lg_bound_elsewhere, &p.own))
    return NULL;
  if (has_other_mpi(&p, library))
    f = named_in(&p, library, name);
  else
    callers[oldest++ % CALLERS] = (struct caller){m.lo, m.hi, gen};
  lg_close(library);
  if (f)
    lg_bindings_correct(); /* the next call does not come to the recorder */
  return f;
}

static void __attribute__((constructor)) correct_program(void)
{
  lg_bindings_correct();
}
