/* The references of a module to functions that others may define, as the loader has bound them, and how one is bound to another. */
#pragma once

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/base.h"
#include "machine/machine.h"

struct lg_reference {
  const char *name;
  uint64_t *slot; /* where its address is, or that of code which finds it at the first call */
  bool weak;      /* the module goes on without the function: the address is 0 then */
  bool data;      /* it is a pointer among the data of the module, not in the table by which it calls */
};

struct lg_module_parts { /* addresses */
  uint64_t lo, hi;
  uint64_t read_only, read_only_hi; /* whole pages that the loader protected when it was done */
  const void *dynamic;              /* NULL: it has no such section */
};

static inline struct lg_module_parts lg_parts_of(const struct dl_phdr_info *info)
{
  struct lg_module_parts m = {.lo = UINT64_MAX};
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    uint64_t lo = info->dlpi_addr + ph->p_vaddr, hi = lo + ph->p_memsz;
    if (ph->p_type == PT_LOAD) {
      m.lo = lo < m.lo ? lo : m.lo;
      m.hi = hi > m.hi ? hi : m.hi;
    } else if (ph->p_type == PT_DYNAMIC) {
      m.dynamic = (const void *)lo;
    } else if (ph->p_type == PT_GNU_RELRO) { /* its last page may hold data that is written */
      m.read_only = lo & ~(page - 1);
      m.read_only_hi = hi & ~(page - 1);
    }
  }
  return m;
}

static inline void lg_references_among(uint64_t bias, const ElfW(Rela) *rela, size_t n, const ElfW(Sym) *symbols, const char *names,
                                       void (*f)(void *, const struct lg_reference *), void *arg)
{
  for (size_t i = 0; i < n; i++) {
    unsigned type = ELF64_R_TYPE(rela[i].r_info);
    bool data = type == LG_ADDRESS && rela[i].r_addend == 0;
    if (type != LG_JUMP_SLOT && type != LG_GLOBAL_DATA && !data)
      continue;
    const ElfW(Sym) *s = &symbols[ELF64_R_SYM(rela[i].r_info)];
    struct lg_reference r = {names + s->st_name, (uint64_t *)(bias + rela[i].r_offset),
                             s->st_shndx == SHN_UNDEF && ELF64_ST_BIND(s->st_info) == STB_WEAK, data};
    f(arg, &r);
  }
}

/* lg_each_reference calls f for each. The loader has made the addresses in the dynamic section absolute, but not in that of the vdso, which
 * refers to nothing. Most relocations name no function, and come first. */
static inline void lg_each_reference(uint64_t bias, const void *dynamic, void (*f)(void *, const struct lg_reference *), void *arg)
{
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) *plt = NULL, *other = NULL;
  size_t nplt = 0, nother = 0, relative = 0;
  for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
    switch (d->d_tag) {
    case DT_SYMTAB: symbols = (const void *)d->d_un.d_ptr; break;
    case DT_STRTAB: names = (const void *)d->d_un.d_ptr; break;
    case DT_JMPREL: plt = (const void *)d->d_un.d_ptr; break;
    case DT_PLTRELSZ: nplt = d->d_un.d_val / sizeof *plt; break;
    case DT_RELA: other = (const void *)d->d_un.d_ptr; break;
    case DT_RELASZ: nother = d->d_un.d_val / sizeof *other; break;
    case DT_RELACOUNT: relative = d->d_un.d_val; break;
    }
  if (!symbols || !names || (uint64_t)symbols < bias || (uint64_t)names < bias)
    return;
  if (plt)
    lg_references_among(bias, plt, nplt, symbols, names, f, arg);
  if (other && relative < nother)
    lg_references_among(bias, other + relative, nother - relative, symbols, names, f, arg);
}

/* lg_bind binds a reference to a function, or with 0 to none. Its table may have been made read-only; it stays as it was made. */
static inline bool lg_bind(const struct lg_module_parts *m, uint64_t *slot, uint64_t function)
{
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (uint64_t)slot & ~(page - 1);
  bool read_only = at >= m->read_only && at < m->read_only_hi;
  if (read_only && mprotect((void *)at, page, PROT_READ | PROT_WRITE) != 0)
    return false;
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  if (read_only)
    (void)mprotect((void *)at, page, PROT_READ);
  return true;
}
