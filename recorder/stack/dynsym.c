#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <string.h>
#include "stack/dynsym.h"

struct gnu_hash { /* DT_GNU_HASH; behind it the bloom filter, the buckets and the chains */
  uint32_t nbuckets, first, nbloom, shift;
};

/* The multiplier and the start of the hash that the linker uses. */
enum { HASH_FACTOR = 33, HASH_START = 5381 };

static uint32_t gnu_hash_of(const char *name)
{
  uint32_t h = HASH_START;
  for (; *name; name++)
    h = h * HASH_FACTOR + (unsigned char)*name;
  return h;
}

/* table_at is where a table of the module lies: the loader has put addresses into
 * most dynamic sections, and left offsets in others. */
static const void *table_at(const struct lg_mapped *m, uint64_t value)
{
  return (const void *)(value < m->bias ? m->bias + value : value);
}

uint64_t lg_module_symbol(const struct lg_mapped *m, const char *name)
{
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const struct gnu_hash *table = NULL;
  for (const ElfW(Dyn) *d = m->dynamic; d && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_SYMTAB)
      symbols = table_at(m, d->d_un.d_ptr);
    else if (d->d_tag == DT_STRTAB)
      names = table_at(m, d->d_un.d_ptr);
    else if (d->d_tag == DT_GNU_HASH)
      table = table_at(m, d->d_un.d_ptr);
  if (!symbols || !names || !table || !table->nbuckets || !table->nbloom)
    return 0;
  const uint64_t *bloom = (const uint64_t *)(table + 1);
  const uint32_t *buckets = (const uint32_t *)(bloom + table->nbloom), *chains = buckets + table->nbuckets;
  uint32_t h = gnu_hash_of(name);
  uint64_t bits = 1ull << h % 64 | 1ull << (h >> table->shift) % 64;
  if ((bloom[h / 64 % table->nbloom] & bits) != bits)
    return 0;
  for (uint32_t i = buckets[h % table->nbuckets]; i >= table->first; i++) {
    uint32_t found = chains[i - table->first];
    if ((found | 1) == (h | 1) && symbols[i].st_shndx != SHN_UNDEF && strcmp(names + symbols[i].st_name, name) == 0)
      return m->bias + symbols[i].st_value;
    if (found & 1)
      break; /* the last of its bucket */
  }
  return 0;
}
