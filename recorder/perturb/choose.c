#include "file/rank.h"
#include "identity/thread.h"
#include "perturb/choose.h"
#include "perturb/journal.h"
#include "perturb/schedule.h"
#include "perturb/site.h"

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

bool lg_alone(void)
{
  return lg_threads && !lg_threads->next;
}
