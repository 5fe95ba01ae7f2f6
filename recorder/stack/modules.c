#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/close.h"
#include "base/hash.h"
#include "base/locks.h"
#include "base/pages.h"
#include "base/recording.h"
#include "file/record.h"
#include "format.h"
#include "stack/modules.h"

/* FNV-1a, the hash of bytes (draft-eastlake-fnv). */
#define MAX_PATH 4000
#define MAX_BUILD_ID 64
#define PATHS_BYTES (1 << 18) /* of all paths that are kept */
#define FNV_BASIS 14695981039346656037ull
#define FNV_PRIME 1099511628211ull

static struct lg_mapped *modules;
static uint32_t nmodules, room;
uint32_t lg_module_gen, lg_unload_gen;
int lg_unloading;
void (*lg_module_met)(const struct lg_mapped *);

struct known { /* modules that have a record already */
  uint64_t bias, image_hi;
  uint64_t id;     /* hash of build-id and path */
  uint64_t across; /* the same in all processes: hash of the build-id, of the path where there is none */
  uint64_t named;  /* 1: it is no module, see lg_module_named */
};
static struct known *known;
static uint32_t nknown, known_room;

static void find_build_id(struct lg_mapped *m, const ElfW(Phdr) *ph)
{
  const unsigned char *p = (const unsigned char *)(m->bias + ph->p_vaddr), *end = p + ph->p_memsz;
  while (p + sizeof(ElfW(Nhdr)) <= end) {
    const ElfW(Nhdr) *n = (const void *)p;
    const unsigned char *desc = p + sizeof *n + ((n->n_namesz + 3) & ~3u);
    if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == sizeof "GNU" && desc + n->n_descsz <= end && n->n_descsz <= MAX_BUILD_ID) {
      m->build_id = desc;
      m->build_id_len = n->n_descsz;
      return;
    }
    p = desc + ((n->n_descsz + 3) & ~3u);
  }
}

/* path_of is asked on the program's alternate stack too, which may be small. */
static const char *path_of(const struct lg_mapped *m)
{
  static char program[MAX_PATH + 1]; /* whoever fills it in writes the same */
  if (m->path && *m->path)
    return m->path;
  if (!*program && readlink("/proc/self/exe", program, sizeof program - 1) < 0)
    return "";
  return program;
}

/* interprets tells an interpreter from a program that has one in it: only of the former is
 * all code the interpreter's. */
static bool interprets(const struct lg_mapped *m)
{
  const char *path = path_of(m), *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (strncmp(name, "lib", 3) == 0)
    name += 3;
  return strncmp(name, "python", 6) == 0 && (!name[6] || isdigit((unsigned char)name[6]) || name[6] == '.');
}

/* kept_path is a copy of a path. The loader has its own on the program's heap, which may be overwritten when the process dies. */
static const char *kept_path(const char *path)
{
  static char *pool;
  static size_t used;
  size_t bytes = path ? strlen(path) + 1 : 0;
  if (!bytes || (!pool && !(pool = lg_pages(PATHS_BYTES))))
    return path;
  for (size_t at = 0; at < used; at += strlen(pool + at) + 1)
    if (strcmp(pool + at, path) == 0)
      return pool + at;
  if (used + bytes > PATHS_BYTES)
    return path;
  used += bytes;
  return memcpy(pool + used - bytes, path, bytes);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size, (void)unused;
  if (nmodules == room) {
    uint32_t more = room ? room * 2 : 64;
    struct lg_mapped *p = lg_pages_grow(modules, room * sizeof *p, more * sizeof *p);
    if (!p)
      return 1;
    modules = p;
    room = more;
  }
  struct lg_mapped m = {.lo = UINT64_MAX, .bias = info->dlpi_addr, .path = kept_path(info->dlpi_name), .image_lo = UINT64_MAX,
                        .index = LG_NO_MODULE};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    uint64_t lo = info->dlpi_addr + ph->p_vaddr, hi = lo + ph->p_memsz;
    if (ph->p_type == PT_LOAD) {
      m.image_lo = lo < m.image_lo ? lo : m.image_lo;
      m.image_hi = hi > m.image_hi ? hi : m.image_hi;
      if (ph->p_flags & PF_X) {
        m.lo = lo < m.lo ? lo : m.lo;
        m.hi = hi > m.hi ? hi : m.hi;
      }
    } else if (ph->p_type == PT_GNU_EH_FRAME) {
      m.eh_hdr = (const unsigned char *)lo;
    } else if (ph->p_type == PT_DYNAMIC) {
      m.dynamic = (const void *)lo;
    } else if (ph->p_type == PT_NOTE && !m.build_id) {
      find_build_id(&m, ph);
    }
  }
  if (m.hi) {
    m.interprets = interprets(&m);
    if (lg_module_met)
      lg_module_met(&m);
    modules[nmodules++] = m;
  }
  return 0;
}

static int by_address(const void *a, const void *b)
{
  const struct lg_mapped *x = a, *y = b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void refresh(void)
{
  nmodules = 0;
  dl_iterate_phdr(add_module, NULL);
  if (lg_module_met)
    lg_module_met(NULL);
  qsort(modules, nmodules, sizeof *modules, by_address);
  lg_module_gen++;
}

static bool holds(uint32_t i, uint64_t pc)
{
  return i < nmodules && pc >= modules[i].lo && pc < modules[i].hi;
}

struct lg_mapped *lg_module_in_table(uint64_t pc)
{
  static uint32_t last; /* frames next to each other are often of one module */
  uint32_t lo = 0, hi = nmodules, guess = last;
  if (holds(guess, pc))
    return &modules[guess];
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (pc >= modules[mid].hi)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (!holds(lo, pc))
    return NULL;
  last = lo;
  return &modules[lo];
}

bool lg_modules_may_refresh = true;

static int loader_state(struct dl_phdr_info *info, size_t size, void *state)
{
  (void)size;
  *(uint64_t *)state = (uint64_t)info->dlpi_adds << 32 | (uint32_t)info->dlpi_subs;
  return 1;
}

uint64_t lg_loader_state(void)
{
  uint64_t now = 0;
  dl_iterate_phdr(loader_state, &now);
  return now;
}

void lg_modules_current(void)
{
  static uint64_t seen;
  uint64_t now = lg_loader_state();
  if (now == seen)
    return;
  seen = now;
  refresh();
}

static void unloading(bool begins)
{
  lg_lock_file();
  lg_unloading += begins ? 1 : -1;
  if (!begins)
    lg_modules_current();
  lg_unlock_file();
}

struct lg_mapped *lg_module_at(uint64_t pc)
{
  struct lg_mapped *m = lg_module_in_table(pc);
  if (m || !lg_modules_may_refresh || pc < LG_PAGE_SIZE)
    return m;
  lg_modules_current();
  return lg_module_in_table(pc);
}

bool lg_is_code(uint64_t pc)
{
  return lg_module_in_table(pc) != NULL;
}

bool lg_module_of_mpi(const struct lg_mapped *m)
{
  static const char *const names[] = {"libmpi", "libpmpi", "libopen-", "libopen_mpi", "mca_", "libmca_", "libpmix", "pmix_", "libpmi.",
                                      "libpmi2.", "libprrte", "libevent", "libev.", "libucp.", "libuct", "libucs", "libucm", "libfabric.",
                                      "libpsm", "librdmacm.", "libibverbs.", "libmlx", "libhcoll.", "libxpmem."};
  const char *path = m->path ? m->path : "", *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * FNV_PRIME;
  return h;
}

static struct known known_of(const struct lg_mapped *m, const char *path)
{
  uint64_t of_build = hash_bytes(FNV_BASIS, m->build_id, m->build_id_len);
  uint64_t of_both = hash_bytes(of_build, path, strlen(path));
  return (struct known){m->bias, m->image_hi, of_both, m->build_id_len ? of_build : of_both, m->hi == 0};
}

bool lg_module_interprets(uint64_t pc)
{
  const struct lg_mapped *m = lg_module_in_table(pc);
  return m && m->interprets;
}

static uint32_t module_record(const struct lg_mapped *m, const char *path)
{
  uint32_t len = (uint32_t)strlen(path);
  if (len > MAX_PATH)
    len = MAX_PATH;
  uint32_t fixed = ((uint32_t)(sizeof(struct lg_module) - sizeof(struct lg_rec)) + m->build_id_len + len + 7) & ~7u;
  struct lg_module *r = lg_rec_begin(LG_REC_MODULE, 0, fixed, (uint32_t)sizeof(struct lg_rec) + fixed);
  if (!r)
    return LG_NO_MODULE;
  r->index = nknown;
  r->build_id_len = (uint16_t)m->build_id_len;
  r->path_len = (uint16_t)len;
  r->base = m->bias;
  r->size = m->image_hi - m->image_lo;
  memcpy(r + 1, m->build_id, m->build_id_len);
  memcpy((char *)(r + 1) + m->build_id_len, path, len);
  lg_rec_commit(r);
  return nknown;
}

/* record_of gives the record of what has that path and that identity, written when it is
 * first seen. */
static uint32_t record_of(const struct lg_mapped *m, const char *path)
{
  struct known k = known_of(m, path);
  for (uint32_t i = 0; i < nknown; i++)
    if (memcmp(&known[i], &k, sizeof k) == 0)
      return i;
  if (nknown == known_room) {
    uint32_t more = known_room ? known_room * 2 : 64;
    struct known *p = lg_pages_grow(known, known_room * sizeof *p, more * sizeof *p);
    if (!p)
      return LG_NO_MODULE;
    known = p;
    known_room = more;
  }
  if (nknown >= LG_NO_MODULE || module_record(m, path) == LG_NO_MODULE)
    return LG_NO_MODULE;
  known[nknown] = k;
  return nknown++;
}

/* index_of gives the record of a module; after a dlclose and dlopen the same library keeps
 * its record. */
static uint32_t index_of(struct lg_mapped *m)
{
  if (m->index == LG_NO_MODULE)
    m->index = record_of(m, path_of(m));
  return m->index;
}

uint32_t lg_module_named(const char *text)
{
  struct { /* in the place of a build-id */
    char kind[sizeof LG_PYTHON_ID - 1];
    unsigned char hash[sizeof(uint64_t)];
  } id;
  uint64_t hash = hash_bytes(FNV_BASIS, text, strlen(text));
  memcpy(id.kind, LG_PYTHON_ID, sizeof id.kind);
  memcpy(id.hash, &hash, sizeof hash);
  return record_of(&(struct lg_mapped){.build_id = (const unsigned char *)&id, .build_id_len = sizeof id}, text);
}

uint64_t lg_frame_of(uint32_t index, uint64_t offset)
{
  return (uint64_t)index << LG_OFFSET_BITS | (offset & ((1ull << LG_OFFSET_BITS) - 1));
}

uint64_t lg_frame_word(uint64_t pc)
{
  struct lg_mapped *m = lg_module_at(pc);
  uint32_t index = m ? index_of(m) : LG_NO_MODULE;
  return lg_frame_of(index, index == LG_NO_MODULE ? pc : pc - m->bias);
}

uint64_t lg_data_word(uint64_t at)
{
  for (uint32_t i = 0; i < nmodules; i++) {
    struct lg_mapped *m = &modules[i];
    uint32_t index = at >= m->image_lo && at < m->image_hi ? index_of(m) : LG_NO_MODULE;
    if (index != LG_NO_MODULE)
      return lg_frame_of(index, at - m->bias);
  }
  return UINT64_MAX;
}

bool lg_frame_interpreted(uint64_t word)
{
  uint64_t module = word >> LG_OFFSET_BITS;
  return module < nknown && known[module].named;
}

uint64_t lg_frame_across(uint64_t word)
{
  uint64_t module = word >> LG_OFFSET_BITS;
  return module < nknown ? lg_mix(known[module].across, word & 0xffffffffffffull) : 0;
}

/* ---- dlclose ---- */

LG_EXPORT int dlclose(void *h)
{
  bool followed = lg_started && !lg_off;
  if (followed)
    unloading(true);
  int r = lg_close(h);
  __atomic_add_fetch(&lg_unload_gen, 1, __ATOMIC_RELEASE);
  if (followed)
    unloading(false);
  return r;
}
