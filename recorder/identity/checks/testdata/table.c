/* A table with as many entries as fit, which come and go: what is in it is found, the room is used, and given back. It prints how many
 * fit at once, how many come in that room when they go one by one, and how large the table is at the end. */
#include <stdio.h>
#include "base/table.h"

struct entry {
  uint64_t key;
  uint64_t value;
};

static struct lg_table table;

static bool put(uint64_t n)
{
  struct entry *e = lg_table_put(&table, sizeof *e, lg_key(0, (long)n));
  if (e)
    *e = (struct entry){lg_key(0, (long)n), n};
  return e != NULL;
}

static bool drop(uint64_t n)
{
  struct entry *e = lg_table_get(&table, sizeof *e, lg_key(0, (long)n));
  bool right = e && e->value == n;
  if (e)
    lg_table_drop(&table, sizeof *e, e);
  return right;
}

int main(void)
{
  uint64_t first = 1, next = 1, came = 0;
  while (put(next))
    next++;
  uint64_t most = next - first;
  for (uint64_t quarter = first + most / 4; first < quarter; first++)
    if (!drop(first))
      return 1;
  while (came < 4 * most && put(next)) {
    next++;
    came++;
    if (!drop(first++))
      return 2;
  }
  for (; first < next; first++)
    if (!drop(first))
      return 3;
  for (int i = 0; i < 20; i++)
    if (!put(next) || !drop(next))
      return 4;
  printf("%lu %lu %u\n", (unsigned long)most, (unsigned long)came, table.size);
  return 0;
}
