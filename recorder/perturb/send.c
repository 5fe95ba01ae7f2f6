#include "base/locks.h"
#include "file/rank.h"
#include "identity/comm.h"
#include "identity/thread.h"
#include "mpi/family.h"
#include "mpi/symbol.h"
#include "perturb/forward.h"
#include "perturb/journal.h"
#include "perturb/schedule.h"
#include "perturb/send.h"
#include "perturb/site.h"

/* A message to oneself is left as it is. If the receive was not begun before, the
 * program relies on a buffer; but so many do, and every MPI has one for it, that it says
 * nothing about another machine. MPI_PROC_NULL receives at once in any mode. */
bool lg_goes_to_another(const struct lg_call *c, const struct lg_comm_ref *comm)
{
  int peer = lg_peer(lg_int(c, c->desc->peer));
  return comm && peer >= 0 && ((comm->flags & LG_COMM_INTER) || peer != comm->rank);
}

/* "In this mode it is up to MPI to decide whether outgoing messages will be buffered. …
 * the send call may not complete until a matching receive has been posted" (MPI-4.0 §3.4),
 * which is what the synchronous mode does. Modes that the program chose itself stay. */
void lg_choose_mode(struct lg_call *c)
{
  struct lg_open o = {.kind = CHOICE_send, .rank = lg_rank->rank, .site = lg_site_of(c)};
  uint64_t value = 0;
  lg_lock_tables();
  bool another = lg_goes_to_another(c, lg_comm_of(c->st, c, c->desc->comm));
  struct lg_place *p = another ? lg_place_of(CHOICE_send, o.site) : NULL;
  o.count = p ? ++p->count : 0;
  lg_unlock_tables();
  if (!p || !lg_schedule_takes(&o, &value, NULL))
    return;
  void *form = c->desc->cls == CLS_sendrecv ? lg_sendrecv_synchronously(c) : lg_form_of(c, c->desc->synchronous);
  if (!form)
    return;
  lg_journal_write(&o, value);
  c->real = form;
}
