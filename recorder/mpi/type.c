#include "base/hash.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/symbol.h"
#include "mpi/type.h"

#define KNOWN_BITS 10 /* handles whose sizes are kept, as a power of two */

uint32_t lg_sizes_gen = 1;

void lg_type_freed(void)
{
  lg_sizes_gen++;
}

long lg_type_handle(const struct lg_call *c, int i, int k)
{
  return k < 0 ? lg_handle_in(c, i) : lg_handle_at(c, i, k);
}

uint64_t lg_type_ask_size(const struct lg_call *c, long handle)
{
  static long (*ask)(long, int *), (*ask_wide)(long, long *);
  long size = 0;
  int narrow = 0;
  if (!ask && !ask_wide) {
    ask_wide = (long (*)(long, long *))lg_find_symbol("PMPI_Type_size_x");
    ask = (long (*)(long, int *))lg_find_symbol("PMPI_Type_size");
  }
  if (c->binding != LG_BIND_C && lg_fam.handle_bytes == 8)
    handle = lg_c_handle((int)handle, "Type");
  if (!handle || handle == lg_fam.type_null)
    return 0;
  if (ask_wide)
    return ask_wide(handle, &size) == 0 && size > 0 ? (uint64_t)size : 0;
  return ask && ask(handle, &narrow) == 0 && narrow > 0 ? (uint64_t)narrow : 0;
}

uint64_t lg_type_size(const struct lg_call *c, long handle)
{
  static struct {
    long handle;
    uint64_t size;
    uint32_t gen;
  } known[1 << KNOWN_BITS];
  typeof(known[0]) *k = &known[lg_spread((uint64_t)handle, KNOWN_BITS)];
  if (k->handle != handle || k->gen != lg_sizes_gen)
    *k = (typeof(*k)){handle, lg_type_ask_size(c, handle), lg_sizes_gen};
  return k->size;
}

static void ask_extent(const struct lg_call *c, long handle, struct lg_extent *out)
{
  static long (*ask)(long, long *, long *), (*ask_true)(long, long *, long *);
  long lb;
  if (!ask) {
    ask = (long (*)(long, long *, long *))lg_find_symbol("PMPI_Type_get_extent");
    ask_true = (long (*)(long, long *, long *))lg_find_symbol("PMPI_Type_get_true_extent");
  }
  if (c->binding != LG_BIND_C && lg_fam.handle_bytes == 8)
    handle = lg_c_handle((int)handle, "Type");
  *out = (struct lg_extent){0};
  if (!handle || handle == lg_fam.type_null || !ask || !ask_true)
    return;
  if (ask(handle, &lb, &out->extent) || ask_true(handle, &out->true_lb, &out->true_extent))
    *out = (struct lg_extent){0};
}

const struct lg_extent *lg_type_extent(const struct lg_call *c, long handle)
{
  static struct {
    long handle;
    struct lg_extent extent;
    uint32_t gen;
  } seen[1 << KNOWN_BITS];
  typeof(seen[0]) *k = &seen[lg_spread((uint64_t)handle, KNOWN_BITS)];
  if (k->handle != handle || k->gen != lg_sizes_gen) {
    ask_extent(c, handle, &k->extent);
    k->handle = handle;
    k->gen = lg_sizes_gen;
  }
  return &k->extent;
}
