#include "base/table.h"
#include "format.h"
#include "identity/datatype.h"
#include "identity/state.h"

struct datatype {
  uint64_t key;
  struct lg_state_live *by; /* counts it */
};

static struct lg_table table;

void lg_datatype_made(long handle, struct lg_st *by, uint64_t progress)
{
  uint64_t key = lg_key(0, handle);
  struct datatype *d = handle ? lg_table_put(&table, sizeof *d, key) : NULL;
  if (!d)
    return;
  if (d->key == key) /* the handle was given out anew: the old one is gone */
    d->by->unfreed--;
  *d = (struct datatype){key, by->live};
  lg_count_made(by, progress);
}

void lg_datatype_freed(long handle)
{
  struct datatype *d = lg_table_get(&table, sizeof *d, lg_key(0, handle));
  if (!d)
    return;
  d->by->unfreed--;
  lg_table_drop(&table, sizeof *d, d);
}
