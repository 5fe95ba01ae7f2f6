#include "file/rank.h"
#include "identity/thread.h"
#include "perturb/choose.h"
#include "perturb/journal.h"
#include "perturb/site.h"

#define MOST_FAVOURED (1u << 20) /* more than ranks and requests, and it fits into a schedule */

bool lg_choose(const struct lg_call *c, uint32_t kind, uint64_t *value)
{
  struct lg_open o = {.kind = kind, .rank = lg_rank->rank, .site = lg_site_of(c)};
  struct lg_place *p = lg_place_of(kind, o.site);
  o.count = p ? ++p->count : 0;
  if (!p || !lg_schedule_takes(&o, value, NULL))
    return false;
  lg_journal_write(&o, *value);
  return true;
}

uint64_t lg_by_favour(const struct lg_open *o, uint64_t value, uint64_t most)
{
  (void)most;
  struct lg_open place = *o;
  place.count = 0;
  return lg_schedule_draw(&place, 2) % 2 ? value : lg_schedule_draw(&place, 3) % MOST_FAVOURED;
}

bool lg_alone(void)
{
  return lg_threads && !lg_threads->next;
}
