#include "file/rank.h"
#include "identity/comm.h"
#include "mpi/family.h"
#include "perturb/choose.h"
#include "perturb/forward.h"
#include "perturb/journal.h"
#include "perturb/match.h"
#include "perturb/nap.h"
#include "perturb/probe.h"
#include "perturb/site.h"

#define PAUSE_US 200 /* between two looks for the wanted message */
#define MOST_SENDERS 256 /* that are asked about one by one */
/* Of what is drawn, a third each waits for the longest time, an 8th of it and a 64th: where all receives wait equally long,
 * one that needs the message of a rank which itself waits so gives way just before that. */
#define PATIENCES 3
#define PATIENCE_BITS 3

struct wildcard { /* a receive or probe of any sender */
  long comm, tag;
  int senders;
};

static bool has_sent(const struct wildcard *w, int source)
{
  return lg_message_is_there(source, w->tag, w->comm);
}

/* find_sender looks for a message, first of the wanted sender and then of those behind it
 * in the order of ranks. It waits for the wanted one for a bounded time and then gives
 * way, since that one may never send. -1: there is no message yet. */
static int find_sender(const struct wildcard *w, int wanted, uint64_t longest_us)
{
  for (uint64_t us = 0; us < longest_us && !has_sent(w, wanted); us += PAUSE_US)
    if (!lg_nap(PAUSE_US))
      break;
  int asked = w->senders < MOST_SENDERS ? w->senders : MOST_SENDERS;
  for (int k = 0; k < asked; k++) {
    int source = (wanted + k) % w->senders;
    if (has_sent(w, source))
      return source;
  }
  return -1;
}

static long from_sender(void)
{
  static __thread int sender __attribute__((tls_model("initial-exec")));
  struct lg_forwarded f = lg_forwarded;
  sender = (int)f.value;
  long argument = f.call->binding == LG_BIND_C ? sender : (long)&sender;
  return lg_forward(f.real, f.call, f.call->desc->peer, argument);
}

/* A receive with MPI_ANY_SOURCE may take the message of any sender that has one; only
 * those of one sender are in order (MPI-4.0 §3.5, §3.2.4). The message of the chosen one is
 * there, so the call cannot wait for another. With several threads another one could take
 * it meanwhile: then nothing is chosen. */
void lg_choose_match(struct lg_call *c)
{
  struct lg_open o = {.kind = CHOICE_match, .rank = lg_rank->rank, .site = lg_site_of(c)};
  struct wildcard w = {.tag = lg_int(c, c->desc->tag)};
  uint64_t value = 0;
  if (!lg_alone() || lg_peer(lg_int(c, c->desc->peer)) != LG_ANY)
    return;
  struct lg_comm_ref *comm = lg_comm_of(c->st, c, c->desc->comm);
  if (!comm)
    return;
  w.comm = comm->handle;
  w.senders = comm->flags & LG_COMM_INTER ? comm->remote_size : comm->size;
  struct lg_place *p = lg_place_of(CHOICE_match, o.site);
  o.count = p ? ++p->count : 0;
  if (!p || w.senders < 2 || !lg_schedule_takes(&o, &value, lg_by_favour))
    return;
  uint64_t wanted = value % (uint64_t)w.senders, shorter = value / (uint64_t)w.senders % PATIENCES;
  int sender = find_sender(&w, (int)wanted, lg_longest_us >> (PATIENCE_BITS * shorter));
  lg_journal_write(&o, sender < 0 ? wanted : (uint64_t)sender);
  if (sender >= 0)
    lg_put_instead(c, from_sender, (uint64_t)sender);
}
