#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/symbol.h"
#include "mpi/type.h"
#include "perturb/layout.h"
#include "perturb/probe.h"

/* In each byte: as an integer large, and as a floating-point number, but so that a few products are no infinity, of which all
 * comparisons fail: one with a bound of the error then says that all is well. */
#define PATTERN 0x47
#define MOST_BYTES (16ul << 20) /* of a buffer */

void lg_fill(void *at, size_t bytes)
{
  memset(at, PATTERN, bytes);
}

/* make_type makes one datatype of all elements of a buffer: the program may free its own meanwhile. */
static bool make_type(const struct lg_call *c, long handle, int count, struct lg_layout *l)
{
  int (*contiguous)(int, long, void *) = (int (*)(int, long, void *))lg_find_symbol("PMPI_Type_contiguous");
  int (*commit)(void *) = (int (*)(void *))lg_find_symbol("PMPI_Type_commit");
  long made = 0;
  if (c->binding != LG_BIND_C)
    handle = lg_c_handle((int)handle, "Type");
  if (!contiguous || !commit || contiguous(count, handle, &made) || commit(&made))
    return false;
  l->type = made;
  return true;
}

bool lg_layout_of(const struct lg_call *c, struct lg_layout *l)
{
  const struct lg_desc *d = c->desc;
  int64_t at = lg_arg_address(c, d->recv_buf);
  uint64_t count = lg_count_of(c, d->recv_count);
  long handle = lg_type_handle(c, d->recv_type, -1);
  *l = (struct lg_layout){0};
  if (at == LG_USE_BOTTOM || at == LG_USE_IN_PLACE || !count || count > MOST_BYTES)
    return false;
  uint64_t size = lg_type_size(c, handle);
  const struct lg_extent *e = lg_type_extent(c, handle);
  if (!size || e->true_extent <= 0 || e->extent < 0 || (uint64_t)e->extent > MOST_BYTES || (uint64_t)e->true_extent > MOST_BYTES)
    return false;
  l->bytes = (count - 1) * (uint64_t)e->extent + (uint64_t)e->true_extent;
  l->first = e->true_lb;
  l->at = (char *)at + e->true_lb;
  l->dense = size == (uint64_t)e->true_extent && (count == 1 || e->extent == e->true_extent);
  l->packed = (int)(count * size);
  if (l->bytes > MOST_BYTES || count * size > l->bytes)
    return false;
  return l->dense || (lg_has_self() && make_type(c, handle, (int)count, l));
}

void lg_layout_drop(struct lg_layout *l)
{
  int (*drop)(void *) = (int (*)(void *))lg_find_symbol("PMPI_Type_free");
  if (l->type && drop)
    drop(&l->type);
  l->type = 0;
}

/* unpack puts bytes, in the order of the datatype, where they belong. */
static void unpack(const struct lg_layout *l, const char *packed)
{
  int (*f)(const void *, int, int *, void *, int, long, long) =
    (int (*)(const void *, int, int *, void *, int, long, long))lg_find_symbol("PMPI_Unpack");
  int position = 0;
  if (f)
    f(packed, l->packed, &position, l->at - l->first, 1, l->type, lg_fam.comm_self);
}

void lg_layout_fill(const struct lg_layout *l)
{
  if (l->dense) {
    lg_fill(l->at, l->bytes);
    return;
  }
  char *packed = malloc((size_t)l->packed);
  if (!packed)
    return;
  lg_fill(packed, (size_t)l->packed);
  unpack(l, packed);
  free(packed);
}

void lg_layout_copy(const struct lg_layout *l, const char *from)
{
  int (*pack)(const void *, int, long, void *, int, int *, long) =
    (int (*)(const void *, int, long, void *, int, int *, long))lg_find_symbol("PMPI_Pack");
  if (l->dense) {
    memcpy(l->at, from, l->bytes);
    return;
  }
  char *packed = malloc((size_t)l->packed);
  int position = 0;
  if (packed && pack && !pack(from - l->first, 1, l->type, packed, l->packed, &position, lg_fam.comm_self))
    unpack(l, packed);
  free(packed);
}
