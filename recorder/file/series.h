/* What the process did over time: sums of samples, by the second, by ten seconds, by the minute
 * and by ten minutes, each kept in SERIES records that are used again when they are full. */
#pragma once

#include "base/base.h"
#include "format.h"

#define LG_LEADERS 8 /* values that are counted one by one */

/* lg_leaders counts values and keeps those that come most often. */
struct lg_leaders {
  struct {
    uint64_t value;
    uint32_t count;
  } most[LG_LEADERS];
};

/* lg_sum is what the samples of some time say; see struct lg_interval for what and how. */
struct lg_sum {
  uint32_t begin;    /* seconds since 1970 */
  uint32_t seconds;  /* that were added up */
  uint32_t samples, computing, waiting, io;
  uint64_t cpu_ns, starved_ns, faults, calls;
  uint32_t thread, anchor;
  uint64_t turns;
  struct lg_leaders states; /* indices of states */
  struct lg_leaders peers;  /* index of a communicator plus one, and in the low 32 bits a rank in it or NONE */
  uint64_t pressure[3], mhz; /* of each second, added up: processor, disk, memory */
};

#pragma GCC visibility push(hidden)

void lg_leaders_count(struct lg_leaders *l, uint64_t value, uint32_t count);
/* Takes the room for the seconds of the first minute at once: a file on a shared file system is extended as the job
 * starts, not while it runs. False, as below: there is no room, and nothing is to be added. */
bool lg_series_start(uint32_t hz);
bool lg_series_add(const struct lg_sum *second);

#pragma GCC visibility pop
