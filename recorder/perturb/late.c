#include <string.h>
#include "base/locks.h"
#include "identity/comm.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "perturb/around.h"
#include "perturb/choose.h"
#include "perturb/forward.h"
#include "perturb/late.h"
#include "perturb/send.h"

#define MOST 256 /* sends at a time */

struct late { /* a send whose request is a persistent one in truth */
  long handle;  /* as it is kept */
  long request; /* as MPI has it; of Fortran an int */
  bool waits;   /* it has not begun */
  int binding;
  void *start;
};

static struct late sends[MOST]; /* in the order of their calls */
static int nsends, nwaiting;

bool lg_any_late(void)
{
  return nsends > 0;
}

/* may_come_before tells whether a call may begin before sends that the program began before it: it waits for nothing,
 * and nobody sees it. */
static bool may_come_before(const struct lg_call *c)
{
  switch (c->desc->cls) {
  case CLS_local:
    return !(c->desc->traits & TRAIT_external);
  case CLS_irecv: case CLS_recv_init: case CLS_send_init:
    return true;
  case CLS_isend:
    return c->desc->choices & CHOICE_buffer; /* it comes behind them or begins them: lg_choose_start */
  default:
    return false;
  }
}

static void start_all(void)
{
  nwaiting = 0;
  for (int i = 0; i < nsends; i++)
    if (sends[i].waits) {
      sends[i].waits = false;
      lg_call_form(sends[i].start, sends[i].binding, (long[]){(long)&sends[i].request}, 1);
    }
}

void lg_start_late(const struct lg_call *c)
{
  if (nwaiting && !may_come_before(c))
    start_all();
}

/* begun notes the request that the program was given. */
static void begun(struct lg_call *c)
{
  if (c->code)
    return;
  struct late s = {lg_handle_at(c, c->desc->request, 0), 0, true, c->binding, lg_unsized_form_of(c, "MPI_Start")};
  memcpy(&s.request, (const void *)c->args[c->desc->request], c->binding == LG_BIND_C ? (size_t)lg_fam.handle_bytes : sizeof(int));
  sends[nsends++] = s;
  nwaiting++;
}

/* "The sender should not modify any part of the send buffer after a nonblocking send
 * operation is called, until the send completes" (MPI-4.0 §3.7.2), and when MPI reads it
 * meanwhile is its own affair. Here it does so from the next call that may wait for the
 * send or for anything else, so that progress (§3.5, §3.7.4) and order (§3.5) are as the
 * program can tell: a persistent send is made in the place of MPI_Isend, which has a
 * request that the program may ask about, and is started then. With another thread, which
 * may wait for the answer already, this would hang. */
void lg_choose_start(struct lg_call *c)
{
  uint64_t value = 0;
  bool synchronous = c->real == lg_form_of(c, c->desc->synchronous);
  void *form = lg_named_form_of(c, synchronous ? "MPI_Ssend_init" : "MPI_Send_init");
  lg_lock_tables();
  bool open = nsends < MOST && form && lg_alone() && lg_unsized_form_of(c, "MPI_Start") && lg_unsized_form_of(c, "MPI_Request_free") &&
              lg_goes_to_another(c, lg_comm_of(c->st, c, c->desc->comm));
  if (open && lg_choose(c, CHOICE_buffer, &value)) {
    c->real = form;
    lg_put_around(c, begun, -1, 0);
  } else if (nwaiting) {
    start_all();
  }
  lg_unlock_tables();
}

static int find(long handle)
{
  int i = nsends - 1;
  while (i >= 0 && sends[i].handle != handle)
    i--;
  return i;
}

static void drop(int i)
{
  nsends--;
  memmove(&sends[i], &sends[i + 1], (size_t)(nsends - i) * sizeof *sends);
}

void lg_late_freed(long handle)
{
  int i = find(handle);
  if (i >= 0)
    drop(i);
}

void lg_late_completed(struct lg_call *c, long handle, int i)
{
  int at = find(handle);
  if (at < 0)
    return;
  drop(at);
  int bytes = c->binding == LG_BIND_C ? lg_fam.handle_bytes : (int)sizeof(int);
  lg_call_form(lg_unsized_form_of(c, "MPI_Request_free"), c->binding, (long[]){c->args[c->desc->request] + (long)i * bytes}, 1);
}
