#include "base/hash.h"
#include "format.h"
#include "identity/freed.h"

#define FREED_BITS 10 /* handles that are kept, as a power of two */

static struct freed {
  int kind; /* 0: none */
  long handle;
  int64_t number;
} freed[1 << FREED_BITS];

static struct freed *place(int kind, long handle)
{
  return &freed[lg_mix((uint64_t)kind, (uint64_t)handle) >> (64 - FREED_BITS)];
}

void lg_freed_put(int kind, long handle, int64_t number)
{
  *place(kind, handle) = (struct freed){kind, handle, number};
}

void lg_freed_forget(int kind, long handle)
{
  struct freed *f = place(kind, handle);
  if (f->kind == kind && f->handle == handle)
    f->kind = 0;
}

int64_t lg_freed_number(int kind, long handle)
{
  const struct freed *f = place(kind, handle);
  return handle && f->kind == kind && f->handle == handle ? f->number : LG_USE_INVALID;
}
