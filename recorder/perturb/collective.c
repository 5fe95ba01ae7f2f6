#include "base/locks.h"
#include "identity/comm.h"
#include "mpi/symbol.h"
#include "perturb/collective.h"
#include "perturb/forward.h"
#include "perturb/journal.h"
#include "perturb/schedule.h"
#include "perturb/site.h"

typedef long (*barrier)(long);

static long behind_barrier(void)
{
  struct lg_forwarded f = lg_forwarded;
  barrier wait = (barrier)lg_find_symbol("PMPI_Barrier");
  if (wait)
    wait((long)f.value);
  return lg_forward(f.real, f.call, -1, 0);
}

/* "A collective communication operation may, or may not, have the effect of synchronizing
 * all MPI processes in the group" (MPI-4.0 §6.1). A barrier on the communicator itself does
 * that: all members put it before the same collective, since they decide by what they
 * all know, the number that the collective has on the communicator. A communicator of
 * our own would have to be made by all members, and counts against MPI's limit. */
void lg_choose_synchronising(struct lg_call *c)
{
  struct lg_open o = {.kind = CHOICE_collective, .rank = -1, .at = lg_site_of(c)};
  uint64_t value = 0;
  lg_lock_tables();
  struct lg_comm_ref *comm = lg_comm_of(c->st, c, c->desc->comm);
  bool open = comm && !comm->alone && !(comm->flags & LG_COMM_INTER);
  if (open) {
    o.site = comm->id;
    o.count = comm->live->coll + 1;
  }
  lg_unlock_tables();
  /* Processes that were spawned, or met by a port, know a communicator by another id than those they joined, and would choose
   * otherwise. */
  if (!open || !lg_schedule_takes(&o, &value, NULL) || !lg_comm_in_world(comm))
    return;
  lg_journal_write(&o, value);
  lg_put_instead(c, behind_barrier, (uint64_t)comm->handle);
}
