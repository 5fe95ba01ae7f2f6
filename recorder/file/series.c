#include <string.h>
#include "base/locks.h"
#include "file/record.h"
#include "file/series.h"

#define NS_IN_MS 1000000
#define MOST_RECORDS 24
#define FIRST_MINUTE 60 /* seconds */

/* A level keeps steps of one length. All levels together are 63 records of 3.9 KB: ten minutes by the second, two
 * hours by ten seconds, a day by the minute and a week by ten minutes. */
static struct level {
  const uint32_t step, records;
  struct lg_sum sum;           /* of the step that is not over */
  struct lg_series *record[MOST_RECORDS];
  uint32_t written;            /* entries, all in all */
} levels[] = {{.step = 1, .records = 10}, {.step = 10, .records = 12}, {.step = 60, .records = 24}, {.step = 600, .records = 17}};

#define LEVELS (sizeof levels / sizeof *levels)

void lg_leaders_count(struct lg_leaders *l, uint64_t value, uint32_t count)
{
  int least = 0;
  for (int i = 0; i < LG_LEADERS; i++) {
    if (l->most[i].count && l->most[i].value == value) {
      l->most[i].count += count;
      return;
    }
    if (l->most[i].count < l->most[least].count)
      least = i;
  }
  if (l->most[least].count < count) {
    l->most[least].value = value;
    l->most[least].count = count;
  }
}

static int leader(const struct lg_leaders *l)
{
  int most = 0;
  for (int i = 1; i < LG_LEADERS; i++)
    if (l->most[i].count > l->most[most].count)
      most = i;
  return most;
}

static void merge_leaders(struct lg_leaders *to, const struct lg_leaders *from)
{
  for (int i = 0; i < LG_LEADERS; i++)
    if (from->most[i].count)
      lg_leaders_count(to, from->most[i].value, from->most[i].count);
}

static void merge(struct lg_sum *to, const struct lg_sum *from, uint32_t begin)
{
  bool other_thread = to->thread != from->thread;
  if (!to->seconds) {
    to->anchor = from->anchor;
  } else if (other_thread || to->anchor != from->anchor) {
    to->anchor = LG_NO_INDEX; /* turns of two loops are no measure of either */
    to->turns = 0;
  }
  if (other_thread)
    to->states = (struct lg_leaders){0};
  if (to->anchor != LG_NO_INDEX)
    to->turns += from->turns;
  to->begin = begin;
  to->seconds += from->seconds;
  to->samples += from->samples;
  to->computing += from->computing;
  to->waiting += from->waiting;
  to->io += from->io;
  to->cpu_ns += from->cpu_ns;
  to->starved_ns += from->starved_ns;
  to->faults += from->faults;
  to->calls += from->calls;
  to->thread = from->thread;
  merge_leaders(&to->states, &from->states);
  merge_leaders(&to->peers, &from->peers);
  for (int i = 0; i < 3; i++)
    to->pressure[i] += from->pressure[i];
  to->mhz += from->mhz;
}

static uint16_t small(uint64_t v)
{
  return v < UINT16_MAX ? (uint16_t)v : UINT16_MAX;
}

static void fill(struct lg_interval *to, const struct lg_sum *s)
{
  int state = leader(&s->states), peer = leader(&s->peers);
  to->samples = small(s->samples);
  to->computing = small(s->computing);
  to->waiting = small(s->waiting);
  to->io = small(s->io);
  to->cpu_ms = (uint32_t)(s->cpu_ns / NS_IN_MS);
  to->starved_ms = (uint32_t)(s->starved_ns / NS_IN_MS);
  to->faults = (uint32_t)s->faults;
  to->calls = (uint32_t)s->calls;
  to->thread = small(s->thread);
  to->at_state = small(s->states.most[state].count);
  to->state = to->at_state ? (uint32_t)s->states.most[state].value : LG_NO_INDEX;
  to->for_peer = small(s->peers.most[peer].count);
  to->comm = to->for_peer ? (uint32_t)(s->peers.most[peer].value >> 32) - 1 : LG_NO_INDEX;
  to->peer = to->for_peer ? (int32_t)s->peers.most[peer].value : LG_NONE;
  to->anchor = s->anchor;
  to->turns = (uint32_t)s->turns;
  to->cpu_pressure = small(s->pressure[0] / s->seconds);
  to->io_pressure = small(s->pressure[1] / s->seconds);
  to->memory_pressure = small(s->pressure[2] / s->seconds);
  to->mhz = small(s->mhz / s->seconds);
}

static uint32_t sample_hz;

static struct lg_series *new_record(uint32_t step)
{
  lg_lock_file();
  struct lg_series *r = lg_rec_begin(LG_REC_SERIES, 0, offsetof(struct lg_series, entry) - sizeof(struct lg_rec), sizeof *r);
  if (r) {
    r->step = step;
    r->hz = sample_hz;
    lg_rec_commit(r);
  }
  lg_unlock_file();
  return r;
}

/* write_step writes the step of a level that is over. A reader finds the entry without its begin until it is whole. */
static bool write_step(struct level *l)
{
  uint32_t n = l->written++ % (l->records * LG_INTERVALS);
  struct lg_series **r = &l->record[n / LG_INTERVALS];
  if (!*r && !(*r = new_record(l->step)))
    return false;
  struct lg_interval *to = &(*r)->entry[n % LG_INTERVALS];
  __atomic_store_n(&to->begin, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  fill(to, &l->sum);
  __atomic_store_n(&to->begin, l->sum.begin, __ATOMIC_RELEASE);
  memset(&l->sum, 0, sizeof l->sum);
  return true;
}

bool lg_series_start(uint32_t hz)
{
  sample_hz = hz;
  for (struct level *l = levels; l->step < FIRST_MINUTE; l++) /* the others write after it */
    if (!(l->record[0] = new_record(l->step)))
      return false;
  return true;
}

bool lg_series_add(const struct lg_sum *second)
{
  for (struct level *l = levels; l < levels + LEVELS; l++) {
    uint32_t begin = second->begin - second->begin % l->step;
    if (l->sum.seconds && l->sum.begin != begin && !write_step(l))
      return false;
    merge(&l->sum, second, begin);
    if (second->begin + 1 == begin + l->step && !write_step(l))
      return false;
  }
  return true;
}
