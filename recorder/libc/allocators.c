/* Allocators of the program's own, named in LAGGARD_ALLOCATORS, such as
 * pool_get:2,arena_new:1;free=pool_put:2,arena_free - each with the position of
 * the argument that is the size, or the buffer, 1 if nothing is said. Calls from
 * one object file to another go through a table of addresses; there wrappers of
 * ours take the place of these functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/references.h"
#include "export.h"
#include "libc/libc.h"

typedef long function(long, long, long, long, long, long);

static struct allocator {
  char name[128];
  int arg; /* 0 the first */
  bool gives, takes;
  function *real;
} allocators[16];
static int nallocators;

static long pass(const struct allocator *a, const long *v, uint64_t ra, uint64_t cfa)
{
  if (a->takes && v[a->arg])
    laggard_freed((void *)v[a->arg], ra);
  long p = a->real(v[0], v[1], v[2], v[3], v[4], v[5]);
  if (a->gives && p)
    laggard_allocated(a->name, (void *)p, (size_t)v[a->arg], ra, cfa);
  return p;
}

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define WRAPPER(n)                                                          \
  static long wrapper_##n(long a, long b, long c, long d, long e, long f)   \
  {                                                                         \
    long r = pass(&allocators[n], (long[]){a, b, c, d, e, f}, LG_RA, LG_CFA); \
    __asm__ volatile("");                                                   \
    return r;                                                               \
  }
#define ADDRESS(n) wrapper_##n,
EACH(WRAPPER)
static function *const wrappers[] = {EACH(ADDRESS)};

static void patch(void *arg, const struct lg_reference *r)
{
  for (int k = 0; !r->data && k < nallocators; k++)
    if (allocators[k].real && strcmp(r->name, allocators[k].name) == 0)
      lg_bind(arg, r->slot, (uint64_t)wrappers[k]);
}

static int patch_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  struct lg_module_parts m = lg_parts_of(info);
  (void)size, (void)unused;
  lg_each_reference(info->dlpi_addr, m.dynamic, patch, &m);
  return 0;
}

static void add(char *word, bool takes)
{
  char *colon = strchr(word, ':');
  int arg = colon ? atoi(colon + 1) : 1;
  if (colon)
    *colon = 0;
  if (!*word || strlen(word) >= sizeof allocators->name || arg < 1 || arg > 6 || nallocators == sizeof allocators / sizeof *allocators) {
    fprintf(stderr, "laggard: LAGGARD_ALLOCATORS: %s cannot be followed\n", word);
    return;
  }
  struct allocator *a = &allocators[nallocators++];
  strcpy(a->name, word);
  a->arg = arg - 1;
  a->takes = takes;
  a->gives = !takes;
  a->real = (function *)dlsym(RTLD_DEFAULT, word);
}

void lg_allocators_start(void)
{
  static char text[4096];
  const char *list = getenv("LAGGARD_ALLOCATORS");
  bool takes = false;
  if (!list || strlen(list) >= sizeof text)
    return;
  strcpy(text, list);
  char *free_list = strstr(text, ";free=");
  if (free_list)
    *free_list = 0;
  for (char *part = text; part; part = takes || !free_list ? NULL : free_list + strlen(";free="), takes = true)
    for (char *save, *word = strtok_r(part, ",", &save); word; word = strtok_r(NULL, ",", &save))
      add(word, takes);
  dl_iterate_phdr(patch_module, NULL);
}
