#include "base/locks.h"
#include "calls/wait.h"
#include "file/rank.h"
#include "identity/comm.h"
#include "identity/request.h"
#include "identity/thread.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/symbol.h"
#include "perturb/choose.h"
#include "perturb/completion.h"
#include "perturb/exposure.h"
#include "perturb/forward.h"
#include "perturb/journal.h"
#include "perturb/late.h"
#include "perturb/nap.h"
#include "perturb/probe.h"
#include "perturb/schedule.h"
#include "perturb/site.h"
#include "perturb/told.h"

#define PAUSE_US 200
#define SCALES 20  /* of how often a poll is put off: powers of two */
#define FEW_SCALES 4
#define MANY 65536 /* noes */
#define CROWDED 4  /* times the longest delay at most, where others take the processor */

/* is_open tells whether a request is followed, and its operation under way: of one that is
 * null or inactive MPI must say that it is complete. */
static bool is_open(const struct lg_call *c, long handle)
{
  struct lg_req *r = lg_request_null(c, handle) ? NULL : lg_req_get(LG_KEY_REQUEST, handle);
  return r && r->active && r->peer != LG_PROC_NULL;
}

/* was_told: the program was told that an open request is complete, or a part of it. */
static bool was_told(const struct lg_call *c, long handle)
{
  return is_open(c, handle) && lg_req_get(LG_KEY_REQUEST, handle)->told;
}

static int requests_of(const struct lg_call *c)
{
  return c->desc->params[c->desc->request].ref ? lg_request_count(c) : 1;
}

/* asks_for_all tells whether a call with several requests says yes if all of them are complete, not one. */
static bool asks_for_all(const struct lg_desc *d)
{
  return d->index < 0 && d->outcount < 0;
}

/* may_deny tells whether what a call about requests says may be no: one of those that it asks about is open, and what the program
 * was told does not answer it. */
static bool may_deny(const struct lg_call *c)
{
  bool open = false;
  for (int i = 0, n = requests_of(c); i < n; i++) {
    long handle = lg_request_at(c, i);
    bool told = was_told(c, handle);
    if (told && !asks_for_all(c->desc))
      return false;
    open = open || (!told && is_open(c, handle));
  }
  return open;
}

/* may_say_no tells whether MPI may answer no whatever has happened, and whether MPI then can go on. */
static bool may_say_no(const struct lg_call *c)
{
  if (!lg_has_self())
    return false;
  switch (c->desc->cls) {
  case CLS_iprobe: case CLS_improbe:
    return lg_alone() && lg_peer(lg_int(c, c->desc->peer)) != LG_PROC_NULL && !lg_told(c);
  case CLS_win_test:
    return lg_alone();
  default:
    return may_deny(c);
  }
}

/* ---- what a poll would be answered ---- */

/* kind_of is the kind of an open request; 0: it is none. */
static uint32_t kind_of(const struct lg_call *c, long handle)
{
  lg_lock_tables();
  uint32_t kind = is_open(c, handle) ? lg_req_get(LG_KEY_REQUEST, handle)->kind : 0;
  lg_unlock_tables();
  return kind;
}

/* is_complete does not ask what others than messages and collectives would be answered, as that may call the program. */
static bool is_complete(const struct lg_call *c, long handle, uint32_t kind)
{
  return (kind != LG_OP_SEND && kind != LG_OP_RECV && kind != LG_OP_COLL) || lg_request_is_complete(c, handle);
}

static bool requests_are_complete(const struct lg_call *c)
{
  bool any = false;
  for (int i = 0, n = requests_of(c); i < n; i++) {
    long handle = lg_request_at(c, i);
    uint32_t kind = kind_of(c, handle);
    bool complete = kind && is_complete(c, handle, kind);
    if (asks_for_all(c->desc) && kind && !complete)
      return false;
    any = any || complete;
  }
  return any;
}

/* part_has_come asks what MPI_Parrived would be answered, which changes nothing. */
static bool part_has_come(const struct lg_call *c)
{
  int flag = 0;
  long given[] = {c->args[0], c->args[1], (long)&flag};
  return lg_call_form(c->real, c->binding, given, c->desc->nargs) == 0 && flag;
}

/* would_say_yes asks MPI, so that a no is spent on an answer that would be yes: where a program polls before anything has come,
 * noes change nothing. */
static bool would_say_yes(const struct lg_call *c)
{
  switch (c->desc->cls) {
  case CLS_iprobe: case CLS_improbe:
    return lg_message_is_there(lg_int(c, c->desc->peer), lg_int(c, c->desc->tag), lg_comm_handle(c, c->desc->comm));
  case CLS_test: case CLS_testall: case CLS_testany: case CLS_testsome: case CLS_get_status:
    return requests_are_complete(c);
  case CLS_parrived:
    return part_has_come(c);
  default:
    return lg_exposure_ended(c);
  }
}

/* ---- polls ---- */

/* A call that answers no has to let MPI go on all the same (MPI-4.0 §3.7.4). */
static void make_progress(void)
{
  lg_message_is_there(lg_fam.any_source, lg_fam.any_tag, lg_fam.comm_self);
}

static void put_int(const struct lg_call *c, int position, int value)
{
  if (position >= 0)
    *(int *)c->args[position] = value;
}

static long answer_no(void)
{
  struct lg_call *c = lg_forwarded.call;
  const struct lg_desc *d = c->desc;
  make_progress();
  put_int(c, d->flag, 0);
  put_int(c, d->index, lg_fam.undefined);
  put_int(c, d->outcount, 0);
  return lg_return_code(c, 0);
}

static bool said_yes(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  int n = *(const int *)c->args[d->flag >= 0 ? d->flag : d->outcount];
  return n != 0 && n != lg_fam.undefined;
}

/* note_told notes what a call that says yes tells of requests and messages that remain. */
static void note_told(const struct lg_call *c)
{
  switch (c->desc->cls) {
  case CLS_iprobe: return lg_tell(c);
  case CLS_improbe: return lg_told_taken(c);
  case CLS_get_status: case CLS_parrived:
    for (int i = 0, n = requests_of(c); i < n; i++)
      if (is_open(c, lg_request_at(c, i)))
        lg_req_get(LG_KEY_REQUEST, lg_request_at(c, i))->told = true;
  }
}

/* answer_truly lets MPI answer, and notes what the program knows now: it may rely on that. */
static long answer_truly(void)
{
  struct lg_forwarded f = lg_forwarded;
  struct lg_place *p = (struct lg_place *)f.value;
  bool ended = f.call->desc->cls == CLS_win_test && lg_exposure_tell(f.call);
  long code = ended ? lg_return_code(f.call, 0) : lg_forward(f.real, f.call, -1, 0);
  if (ended)
    put_int(f.call, f.call->desc->flag, 1);
  if (!said_yes(f.call))
    return code;
  lg_lock_tables();
  if (p->deniable) { /* else it was no success: a program that polls all its requests again would be put off for ever */
    p->count++;
    p->decided = false;
  }
  note_told(f.call);
  lg_unlock_tables();
  return code;
}

/* by_scale draws from all scales alike, a few noes or a million: messages that are late by much the same are in order. A rule for few
 * noes has few scales: where one message is late by far the most, all else has ended before it comes. */
static uint64_t by_scale(const struct lg_open *o, uint64_t noes, uint64_t most)
{
  return 1 + (noes >> lg_schedule_draw(o, 2) % (most > MANY ? SCALES : FEW_SCALES));
}

/* decide draws, once for each success of a poll at its place, how often it will be put off. */
static void decide(struct lg_place *p, uint64_t site)
{
  struct lg_open o = {.kind = CHOICE_completion, .rank = lg_rank->rank, .site = site, .count = p->count + 1};
  if (p->decided)
    return;
  p->decided = true;
  p->noes = 0;
  if (!lg_may_hold_back() || !lg_schedule_takes(&o, &p->noes, by_scale))
    return;
  p->since = lg_monotonic_us();
  p->busy_since = lg_busy_us();
  lg_journal_write(&o, p->noes);
}

/* has_time tells whether a poll may be put off further. The time of the processor counts, as a program that gives up after
 * so many polls takes longer for them on a crowded machine; but not for ever. */
static bool has_time(const struct lg_place *p)
{
  uint64_t us = lg_monotonic_us() - p->since;
  return us < lg_longest_us || (us < CROWDED * lg_longest_us && lg_busy_us() - p->busy_since < lg_longest_us);
}

/* end_noes takes from what all calls may be held back how long a poll was put off. */
static void end_noes(struct lg_place *p)
{
  if (p->since)
    lg_spend(lg_monotonic_us() - p->since);
  p->since = 0;
  p->noes = 0;
}

/* That an operation is complete, or a message there, a poll has to report "eventually"
 * (MPI-4.0 §3.7.3, §3.8.1), not at once. */
static bool choose_answer(struct lg_call *c)
{
  uint64_t site = lg_site_of(c);
  lg_lock_tables();
  struct lg_place *p = lg_place_of(CHOICE_completion, site);
  bool no = p && may_say_no(c), goes_on = no && p->noes;
  if (p)
    p->deniable = no;
  lg_unlock_tables();
  no = goes_on || (no && would_say_yes(c));
  lg_lock_tables();
  if (no) {
    decide(p, site);
    no = p->noes && has_time(p);
    p->noes -= no;
    if (!no)
      end_noes(p);
  }
  lg_unlock_tables();
  if (p)
    lg_put_instead(c, no ? answer_no : answer_truly, (uint64_t)p);
  return no;
}

/* ---- waits for one of several ---- */

/* test_one completes the k-th request of the call alone, if it can be completed. */
static bool test_one(struct lg_call *c, int k, long *code)
{
  const struct lg_desc *d = c->desc;
  char *request = (char *)c->args[d->request] + (long)k * lg_fam.handle_bytes;
  bool some = d->cls == CLS_waitsome;
  int *out = (int *)c->args[some ? d->outcount : d->index], *at = some ? (int *)c->args[d->indices] : out, done = 0;
  void *test = lg_find_symbol(some ? "PMPI_Testsome" : "PMPI_Testany");
  if (!test)
    return false;
  if (some)
    *code = ((long (*)(long, void *, int *, int *, long))test)(1, request, &done, at, c->args[d->status]);
  else
    *code = ((long (*)(long, void *, int *, int *, long))test)(1, request, at, &done, c->args[d->status]);
  if (!done || done == lg_fam.undefined || *at == lg_fam.undefined)
    return false;
  if (some)
    *out = 1;
  *at = k;
  return true;
}

static bool is_open_at(struct lg_call *c, int k)
{
  lg_lock_tables();
  bool open = is_open(c, lg_handle_at(c, c->desc->request, k));
  lg_unlock_tables();
  return open;
}

/* complete_another prefers one request, waits for it a bounded time, and then takes the
 * next ones in the list. */
static long complete_another(void)
{
  struct lg_forwarded f = lg_forwarded;
  int n = lg_request_count(f.call), wanted = (int)(f.value % (uint64_t)n);
  long code = 0;
  for (uint64_t us = 0; us < lg_longest_us && is_open_at(f.call, wanted); us += PAUSE_US)
    if (test_one(f.call, wanted, &code))
      return code;
    else if (!lg_nap(PAUSE_US))
      break;
  for (int k = 0; k < n; k++) {
    int i = (wanted + k) % n;
    if (is_open_at(f.call, i) && test_one(f.call, i, &code))
      return code;
  }
  return lg_forward(f.real, f.call, -1, 0);
}

/* "If more than one operation is enabled and can terminate, one is arbitrarily chosen"
 * (MPI-4.0 §3.7.5). MPI_Waitsome returns at least one. The indices of Fortran differ between
 * libraries: there nothing is chosen. */
static void choose_request(struct lg_call *c)
{
  struct lg_open o = {.kind = CHOICE_completion, .rank = lg_rank->rank, .site = lg_site_of(c)};
  uint64_t value = 0;
  if (c->binding != LG_BIND_C || lg_request_count(c) < 2)
    return;
  lg_lock_tables();
  struct lg_place *p = lg_place_of(CHOICE_completion, o.site);
  o.count = p ? ++p->count : 0;
  lg_unlock_tables();
  if (!p || !lg_schedule_takes(&o, &value, lg_by_favour))
    return;
  lg_journal_write(&o, value);
  lg_put_instead(c, complete_another, value);
}

bool lg_choose_completion(struct lg_call *c)
{
  lg_lock_tables();
  lg_told_by(c);
  lg_unlock_tables();
  if (!(c->desc->choices & CHOICE_completion))
    return false;
  if (c->desc->cls != CLS_waitany && c->desc->cls != CLS_waitsome)
    return choose_answer(c);
  lg_start_late(c); /* what it waits for */
  choose_request(c);
  return false;
}
