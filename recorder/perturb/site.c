#include "base/hash.h"
#include "base/locks.h"
#include "identity/state.h"
#include "perturb/site.h"
#include "stack/modules.h"

#define PLACES 8192 /* a power of two */

static struct lg_place places[PLACES];
static uint32_t nplaces;

uint64_t lg_site_of(const struct lg_call *c)
{
  const struct lg_st *st = c->st;
  uint32_t at = 0;
  if (!st->nframes)
    return 0;
  lg_lock_file();
  while (at < st->nframes && !lg_frame_interpreted(st->frames[at]))
    at++;
  uint64_t site = lg_frame_across(st->frames[at < st->nframes ? at : 0]);
  lg_unlock_file();
  return site;
}

struct lg_place *lg_place_of(uint32_t kind, uint64_t site)
{
  uint64_t key = lg_mix(site, kind) | 1;
  for (uint32_t i = (uint32_t)key & (PLACES - 1);; i = (i + 1) & (PLACES - 1)) {
    struct lg_place *p = &places[i];
    if (p->key == key)
      return p;
    if (p->key)
      continue;
    if (nplaces == PLACES / 2)
      return NULL;
    nplaces++;
    p->key = key;
    return p;
  }
}
