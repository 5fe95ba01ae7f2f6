#include "base/hash.h"
#include "mpi/extent.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/symbol.h"

#define PREDEFINED_BITS 9 /* there are at most 128, in C and in Fortran */
#define COMMITTED_BITS 10 /* that are kept, as a power of two */

#define MPICH_BASIC 0x4c00 /* the upper half of its handles of predefined types that are no pairs */

struct known {
  long handle; /* as lg_type_handle gives it; 0: none */
  struct lg_extent extent;
  uint32_t thread, freed_in; /* the state in which it was freed; LG_NOT_FREED */
};
static struct known predefined[1 << PREDEFINED_BITS]; /* the next free place, if one is taken */
static struct known committed[1 << COMMITTED_BITS];   /* the latest of those with one place */

static long fortran_null; /* MPI_DATATYPE_NULL, if it is another number than in C */

static struct known *predefined_place(long handle)
{
  uint32_t i = lg_spread((uint64_t)handle, PREDEFINED_BITS);
  while (predefined[i].handle && predefined[i].handle != handle)
    i = (i + 1) & ((1 << PREDEFINED_BITS) - 1);
  return &predefined[i];
}

static struct known *committed_place(long handle)
{
  return &committed[lg_spread((uint64_t)handle, COMMITTED_BITS)];
}

/* as_in_fortran is the handle as lg_type_handle gives it in a call of Fortran. */
static long as_in_fortran(long handle)
{
  static int (*c2f)(long);
  static const struct lg_call fortran = {.binding = LG_BIND_F};
  if (!c2f)
    c2f = (int (*)(long))lg_find_symbol(lg_fam.id == LG_FAMILY_STANDARD ? "PMPI_Type_toint" : "PMPI_Type_c2f");
  return c2f ? lg_handle_kept(&fortran, c2f(handle)) : 0;
}

/* of_predefined is the extent of a predefined type. MPICH's handles have the size in them, but for pairs; and it need not have all of
 * those types, so it is not asked. */
static struct lg_extent of_predefined(long handle)
{
  static const struct lg_call in_c = {.binding = LG_BIND_C};
  long size = handle >> 8 & 0xff;
  if (lg_fam.id == LG_FAMILY_MPICH && handle >> 16 == MPICH_BASIC)
    return (struct lg_extent){.extent = size, .true_extent = size};
  return *lg_type_extent(&in_c, handle);
}

void lg_extent_predefined(long handle)
{
  struct lg_extent e = of_predefined(handle);
  long other = lg_fam.handle_bytes == 8 ? as_in_fortran(handle) : 0;
  if (!fortran_null && other)
    fortran_null = as_in_fortran(lg_fam.type_null);
  if (e.true_extent <= 0)
    return;
  *predefined_place(handle) = (struct known){handle, e, 0, LG_NOT_FREED};
  if (other)
    *predefined_place(other) = (struct known){other, e, 0, LG_NOT_FREED};
}

void lg_extent_keep(const struct lg_call *c)
{
  long handle = lg_handle_at(c, 0, 0);
  *committed_place(handle) = (struct known){handle, *lg_type_extent(c, handle), 0, LG_NOT_FREED};
}

void lg_extent_freed(const struct lg_call *c, uint32_t thread, uint32_t state)
{
  long handle = lg_handle_at(c, 0, 0);
  struct known *k = committed_place(handle);
  if (k->handle == handle) {
    k->thread = thread;
    k->freed_in = state;
  }
}

/* known finds a type. */
static const struct known *known(long handle)
{
  const struct known *p = predefined_place(handle);
  if (!p->handle)
    p = committed_place(handle);
  return handle && p->handle == handle ? p : NULL;
}

bool lg_extent_known(long handle, struct lg_extent *out)
{
  const struct known *k = known(handle);
  if (!k || k->freed_in != LG_NOT_FREED || k->extent.true_extent <= 0)
    return false;
  *out = k->extent;
  return true;
}

uint32_t lg_extent_freed_in(long handle, uint32_t thread)
{
  const struct known *k = known(handle);
  return k && k->thread == thread ? k->freed_in : LG_NOT_FREED;
}

bool lg_extent_of_null(long handle)
{
  return handle == lg_fam.type_null || (fortran_null && handle == fortran_null);
}
