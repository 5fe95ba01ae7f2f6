#define _GNU_SOURCE
#include <string.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/settings.h"
#include "machine/machine.h"
#include "movement/wanted.h"
#include "stack/modules.h"

#define VERDICT_BITS 14 /* answers that are kept, as a power of two */
#define MAX_IGNORED 128

/* Beginnings of file names. */
static const char *ignored[MAX_IGNORED] = {
    "ld-linux", "libc.so", "libc-2", "libpthread", "libdl.so", "libm.so", "libresolv", "libnss", "liblaggard",
    "libevent", "libev.so", "libuv.so", "libpmix", "libpmi", "libopen-rte", "libprrte", "libhwloc", "libudev", "libpciaccess", "libltdl",
    "libz.so", "libzstd", "liblzma", "libbz2", "libxml2", "libcrypto", "libssl", "libmunge", "libnuma", "libjansson",
    "mca_ess", "mca_errmgr", "mca_grpcomm", "mca_oob", "mca_rml", "mca_routed", "mca_odls", "mca_plm", "mca_ras", "mca_state",
    "mca_pmix", "mca_iof", "mca_filem", "mca_rmaps", "mca_sensor", "mca_schizo", "mca_dfs", "mca_notifier", "mca_snapc", "mca_sstore",
    "mca_reachable", "mca_if", "mca_hwloc", "mca_event", "mca_compress", "mca_psec", "mca_bfrops", "mca_gds", "mca_ptl", "mca_shmem",
};
/* lg_unload_gen | return address << 1 | wanted: what was said before a module
 * was unloaded is not believed. */
static uint64_t verdicts[1 << VERDICT_BITS];

static inline uint64_t verdict_of(uint64_t ra, bool wanted)
{
  return (uint64_t)lg_unload_gen << (LG_ADDRESS_BITS + 1) | (ra & ((1ull << LG_ADDRESS_BITS) - 1)) << 1 | wanted;
}

/* lg_wanted_start adds the names of LAGGARD_IGNORE to the list. */
void lg_wanted_start(void)
{
  static char names[4096];
  const char *more = lg_env("IGNORE");
  size_t n = 0;
  if (!more || strlen(more) >= sizeof names)
    return;
  strcpy(names, more);
  while (n < MAX_IGNORED && ignored[n])
    n++;
  for (char *save, *name = strtok_r(names, ", ", &save); name && n < MAX_IGNORED; name = strtok_r(NULL, ", ", &save))
    ignored[n++] = name;
}

static bool is_ignored(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < MAX_IGNORED && ignored[i]; i++)
    if (strncmp(name, ignored[i], strlen(ignored[i])) == 0)
      return true;
  return false;
}

/* look decides of an address that is new. Memory that belongs to no module is
 * code that the program made; the vdso has no path either. */
static bool __attribute__((noinline)) look(uint64_t ra, uint64_t *verdict)
{
  if (!lg_lock_file_soon())
    return false;
  struct lg_mapped *m = lg_module_at(ra);
  bool wanted = !m || !m->path || !is_ignored(m->path);
  __atomic_store_n(verdict, verdict_of(ra, wanted), __ATOMIC_RELAXED);
  lg_unlock_file();
  return wanted;
}

bool lg_wanted(uint64_t ra)
{
  uint64_t *verdict = &verdicts[lg_spread(ra, VERDICT_BITS)];
  uint64_t known = __atomic_load_n(verdict, __ATOMIC_RELAXED);
  return likely((known & ~1ull) == verdict_of(ra, false)) ? known & 1 : look(ra, verdict);
}
