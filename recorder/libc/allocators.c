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
#include <sys/mman.h>
#include <unistd.h>
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

/* put writes into a table that may be read-only by now. */
static void put(uint64_t *slot, function *f)
{
  long page = sysconf(_SC_PAGESIZE);
  char *at = (char *)((uint64_t)slot & ~(uint64_t)(page - 1));
  if (mprotect(at, (size_t)page, PROT_READ | PROT_WRITE) == 0)
    *slot = (uint64_t)f;
}

static void patch(const struct dl_phdr_info *info, const ElfW(Rela) *rela, size_t n, const ElfW(Sym) *symbols, const char *names)
{
  for (size_t i = 0; i < n; i++) {
    unsigned type = ELF64_R_TYPE(rela[i].r_info);
    if (type != LG_JUMP_SLOT && type != LG_GLOBAL_DATA)
      continue;
    const char *name = names + symbols[ELF64_R_SYM(rela[i].r_info)].st_name;
    for (int k = 0; k < nallocators; k++)
      if (allocators[k].real && strcmp(name, allocators[k].name) == 0)
        put((uint64_t *)(info->dlpi_addr + rela[i].r_offset), wrappers[k]);
  }
}

/* The loader has made the addresses in the dynamic section absolute. */
static int patch_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) *plt = NULL, *other = NULL;
  size_t nplt = 0, nother = 0;
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    for (const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; d++)
      switch (d->d_tag) {
      case DT_SYMTAB: symbols = (const void *)d->d_un.d_ptr; break;
      case DT_STRTAB: names = (const void *)d->d_un.d_ptr; break;
      case DT_JMPREL: plt = (const void *)d->d_un.d_ptr; break;
      case DT_PLTRELSZ: nplt = d->d_un.d_val / sizeof *plt; break;
      case DT_RELA: other = (const void *)d->d_un.d_ptr; break;
      case DT_RELASZ: nother = d->d_un.d_val / sizeof *other; break;
      }
  }
  if (!symbols || !names || (uint64_t)symbols < info->dlpi_addr || (uint64_t)names < info->dlpi_addr)
    return 0; /* the vdso, whose addresses stay relative */
  if (plt)
    patch(info, plt, nplt, symbols, names);
  if (other)
    patch(info, other, nother, symbols, names);
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
