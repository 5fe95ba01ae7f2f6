/* How many bytes each call site sends: at the MPI call, by the arguments of this
 * rank (bytes.c), and below MPI, as it was told. */
#include "core.h"
#include "export.h"

LG_EXPORT void laggard_sent(const char *function, size_t bytes, uint64_t ra, uint64_t cfa)
{
  struct lg_site *s = lg_site_find(function, ra, cfa);
  if (!s)
    return;
  __atomic_fetch_add(s->calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(s->bytes, bytes, __ATOMIC_RELAXED);
}
