#include "base/locks.h"
#include "base/settings.h"
#include "calls/wait.h"
#include "file/rank.h"
#include "identity/thread.h"
#include "mpi/handle.h"
#include "perturb/arrival.h"
#include "perturb/around.h"
#include "perturb/collective.h"
#include "perturb/completion.h"
#include "perturb/epoch.h"
#include "perturb/exposure.h"
#include "perturb/journal.h"
#include "perturb/late.h"
#include "perturb/match.h"
#include "perturb/nap.h"
#include "perturb/perturb.h"
#include "perturb/schedule.h"
#include "perturb/send.h"
#include "perturb/site.h"

#define RUN 16 /* calls for which the priority of a thread stays */

void lg_perturb_start(void)
{
  const char *path = lg_env("PERTURB");
  if (path && lg_schedule_read(path))
    lg_journal_start(path);
}

/* A rule that is for many calls holds back by priority, not alike: a thread starves in
 * the first run of its calls and in each second one, and is barely late in the others. Random priorities that change
 * at few points find a bug of depth d with a known probability (PCT: Burckhardt and
 * others, ASPLOS 2010); uniform noise evens itself out. */
static uint64_t by_priority(const struct lg_open *o, uint64_t us, uint64_t most)
{
  (void)most;
  struct lg_open run = *o;
  run.site = 0;
  run.count = o->count / RUN;
  return run.count == 0 || lg_schedule_draw(&run, 2) % 2 == 0 ? us : us / 64;
}

/* MPI gives no bound on when a call begins, or on how long an operation takes: only
 * that it is completed in the end (progress: MPI-4.0 §2.9, §3.5 and §12.7.3). */
static void hold_back(struct lg_call *c, uint32_t kind)
{
  struct lg_open o = {.kind = kind, .rank = lg_rank->rank, .site = lg_site_of(c), .turn = c->thr->pub->index};
  uint64_t us = 0;
  lg_lock_tables();
  struct lg_place *p = lg_place_of(kind, o.site);
  o.count = p ? ++p->count : 0;
  lg_unlock_tables();
  if (!p || !lg_schedule_takes(&o, &us, by_priority))
    return;
  lg_journal_write(&o, us);
  lg_nap(us);
}

/* prepare does what the program's calls before this one have put off. */
static void prepare(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  lg_start_operations(c);
  lg_lock_tables();
  if (d->cls == CLS_request_free) {
    lg_late_freed(lg_handle_at(c, d->request, 0));
    lg_arrival_freed(lg_handle_at(c, d->request, 0));
  }
  if (d->cls == CLS_start || d->cls == CLS_startall)
    for (int i = 0, n = lg_request_count(c); i < n; i++)
      lg_arrival_again(lg_handle_at(c, d->request, i));
  lg_unlock_tables();
}

static void complete_one(struct lg_call *c, long handle, int i)
{
  lg_arrived(handle);
  if (c->desc->cls != CLS_get_status)
    lg_late_completed(c, handle, i);
}

static void complete(struct lg_call *c)
{
  lg_each_completed(c, complete_one);
}

/* completes tells whether a call may complete requests, or say that they are complete. */
static bool completes(int cls)
{
  switch (cls) {
  case CLS_wait: case CLS_waitall: case CLS_waitany: case CLS_waitsome:
  case CLS_test: case CLS_testall: case CLS_testany: case CLS_testsome: case CLS_get_status:
    return true;
  default:
    return false;
  }
}

static void choose_buffer(struct lg_call *c)
{
  switch (c->desc->cls) {
  case CLS_isend: case CLS_start: case CLS_startall:
    return lg_choose_start(c);
  default:
    return lg_choose_arrival(c);
  }
}

void lg_perturb(struct lg_call *c)
{
  uint32_t choices = c->desc->choices & lg_perturbing;
  c->thr->empty.st = NULL; /* each poll is decided about anew */
  if (choices & CHOICE_ends)
    hold_back(c, CHOICE_ends);
  if (!lg_mpi_usable())
    return;
  bool no = lg_perturbing & CHOICE_completion && lg_choose_completion(c);
  if (!no) /* for a bounded time, sends stay away from a call that is answered no */
    lg_start_late(c);
  prepare(c);
  if (choices & CHOICE_delay)
    hold_back(c, CHOICE_delay);
  if (choices & CHOICE_rma)
    hold_back(c, CHOICE_rma);
  if (c->desc->cls == CLS_win_wait)
    lg_exposure_waited(c);
  if (choices & CHOICE_match)
    lg_choose_match(c);
  if (choices & CHOICE_send)
    lg_choose_mode(c);
  if (choices & CHOICE_collective)
    lg_choose_synchronising(c);
  if (choices & CHOICE_epoch && c->desc->cls != CLS_win_flush)
    lg_choose_epoch(c);
  if (choices & CHOICE_buffer)
    choose_buffer(c);
  else if (completes(c->desc->cls) && (lg_any_arrival() || lg_any_late()))
    lg_put_around(c, complete, -1, 0);
}
