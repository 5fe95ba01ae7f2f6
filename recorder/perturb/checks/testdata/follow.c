/* Reads a schedule, and then from its input choices that are open, one a line: kind, rank,
 * site, count. Prints for each its value if it is made, else "-". */
#include <inttypes.h>
#include <stdio.h>
#include "perturb/schedule.h"

int main(int argc, char **argv)
{
  struct lg_open o = {0};
  if (argc != 2 || !lg_schedule_read(argv[1]))
    return lg_perturbing != 0 ? 2 : 1;
  while (scanf("%" SCNu32 " %d %" SCNx64 " %" SCNu64, &o.kind, &o.rank, &o.site, &o.count) == 4) {
    uint64_t value = 0;
    if (lg_schedule_takes(&o, &value, NULL))
      printf("%" PRIu64 "\n", value);
    else
      printf("-\n");
  }
  return 0;
}
