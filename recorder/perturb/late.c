#include <string.h>
#include "base/locks.h"
#include "calls/wait.h"
#include "format.h"
#include "identity/comm.h"
#include "identity/request.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "perturb/around.h"
#include "perturb/choose.h"
#include "perturb/forward.h"
#include "perturb/late.h"
#include "perturb/schedule.h"
#include "perturb/send.h"

#define MOST 256 /* sends at a time */

/* Values of a choice at MPI_Startall: the sends, or the receives, begin in the opposite order. 0: sends begin late. */
#define SENDS_BACKWARDS 1
#define RECEIVES_BACKWARDS 2

struct late { /* a send that begins late */
  long handle;  /* as it is kept */
  long request; /* as MPI has it; of Fortran an int */
  bool waits;   /* it has not begun */
  bool persistent; /* so made by the program: else that is to be kept from it */
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
  case CLS_local: case CLS_type_commit: case CLS_newtype:
    return !(c->desc->traits & TRAIT_external);
  case CLS_irecv: case CLS_recv_init: case CLS_send_init:
    return true;
  case CLS_isend: case CLS_start: case CLS_startall:
    return c->desc->choices & CHOICE_buffer & lg_perturbing; /* it comes behind them or begins them: lg_choose_start */
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

/* Once there are several threads, the lock is taken in any case: another one may be putting off a send at this moment. */
void lg_start_late(const struct lg_call *c)
{
  if ((!nwaiting && lg_alone()) || may_come_before(c))
    return;
  lg_lock_tables();
  start_all();
  lg_unlock_tables();
}

static size_t handle_bytes(const struct lg_call *c)
{
  return c->binding == LG_BIND_C ? (size_t)lg_fam.handle_bytes : sizeof(int);
}

/* request_at is the address of the i-th request of a call. */
static long request_at(const struct lg_call *c, int i)
{
  return c->args[c->desc->request] + (long)i * (long)handle_bytes(c);
}

static void put_off(const struct lg_call *c, int i, bool persistent)
{
  struct late s = {lg_handle_at(c, c->desc->request, i), 0, true, persistent, c->binding, lg_unsized_form_of(c, "MPI_Start")};
  memcpy(&s.request, (const void *)request_at(c, i), handle_bytes(c));
  sends[nsends++] = s;
  nwaiting++;
}

/* begun notes the request that the program was given. */
static void begun(struct lg_call *c)
{
  if (c->code)
    return;
  put_off(c, 0, false);
  if (!lg_alone()) /* a thread has come meanwhile: it may wait for the answer already */
    start_all();
}

/* "The sender should not modify any part of the send buffer after a nonblocking send
 * operation is called, until the send completes" (MPI-4.0 §3.7.2), and when MPI reads it
 * meanwhile is its own affair. Here it does so from the next call that may wait for the
 * send or for anything else, so that progress (§3.5, §3.7.4) and order (§3.5) are as the
 * program can tell: a persistent send is made in the place of MPI_Isend, which has a
 * request that the program may ask about, and is started then. With another thread, which
 * may wait for the answer already, this would hang. */
static void choose_isend(struct lg_call *c)
{
  uint64_t value = 0;
  bool synchronous = c->real == lg_form_of(c, c->desc->synchronous);
  void *form = lg_named_form_of(c, synchronous ? "MPI_Ssend_init" : "MPI_Send_init");
  bool open = nsends < MOST && form && lg_alone() && lg_unsized_form_of(c, "MPI_Start") && lg_unsized_form_of(c, "MPI_Request_free") &&
              lg_goes_to_another(c, lg_comm_of(c->st, c, c->desc->comm));
  if (open && lg_choose(c, CHOICE_buffer, &value)) {
    c->real = form;
    lg_put_around(c, begun, -1, 0);
  } else if (nwaiting) {
    start_all();
  }
}

/* is_send: of a partitioned one the program may say that parts are ready as soon as it has begun. */
static bool is_send(long handle)
{
  struct lg_req *r = lg_req_get(LG_KEY_REQUEST, handle);
  return r && r->persistent && r->kind == LG_OP_SEND && r->peer >= 0 && !r->partitioned;
}

/* start_others starts what is no send, in the place of MPI_Start and MPI_Startall. */
static long start_others(void)
{
  const struct lg_call *c = lg_forwarded.call;
  void *start = lg_unsized_form_of(c, "MPI_Start");
  int code = 0;
  for (int i = 0, n = lg_request_count(c); i < n && !code; i++)
    if (!is_send(lg_handle_at(c, c->desc->request, i)))
      code = lg_call_form(start, c->binding, (long[]){request_at(c, i)}, 1);
  return lg_return_code(c, code);
}

static bool is_receive(long handle)
{
  struct lg_req *r = lg_req_get(LG_KEY_REQUEST, handle);
  return r && r->persistent && r->kind == LG_OP_RECV && !r->partitioned;
}

/* MPI_Startall has the effect of MPI_Start for each request "in some arbitrary order" (MPI-4.0 §3.9). */
static long start_in_another_order(void)
{
  struct lg_forwarded f = lg_forwarded;
  const struct lg_call *c = f.call;
  void *start = lg_unsized_form_of(c, "MPI_Start");
  bool (*backwards)(long) = f.value == SENDS_BACKWARDS ? is_send : is_receive;
  int code = 0, n = lg_request_count(c);
  for (int k = 0; k < 2 * n && !code; k++) {
    int i = k < n ? k : 2 * n - 1 - k;
    if (backwards(lg_handle_at(c, c->desc->request, i)) == (k >= n))
      code = lg_call_form(start, c->binding, (long[]){request_at(c, i)}, 1);
  }
  return lg_return_code(c, code);
}

/* choose_persistent decides about all requests of MPI_Start or MPI_Startall. */
static void choose_persistent(struct lg_call *c)
{
  int n = lg_request_count(c), nnew = 0;
  uint64_t value = 0;
  for (int i = 0; i < n; i++)
    nnew += is_send(lg_handle_at(c, c->desc->request, i));
  bool open = (nnew || n > 1) && nsends + nnew <= MOST && lg_alone() && lg_unsized_form_of(c, "MPI_Start");
  if (!open || !lg_choose(c, CHOICE_buffer, &value) || (n > 1 && value)) {
    start_all();
    if (open && n > 1 && value)
      lg_put_instead(c, start_in_another_order, value);
    return;
  }
  for (int i = 0; i < n; i++)
    if (is_send(lg_handle_at(c, c->desc->request, i)))
      put_off(c, i, true);
  lg_put_instead(c, start_others, 0);
}

void lg_choose_start(struct lg_call *c)
{
  lg_lock_tables();
  if (c->desc->cls == CLS_isend)
    choose_isend(c);
  else
    choose_persistent(c);
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
  bool persistent = sends[at].persistent;
  drop(at);
  if (persistent)
    return;
  lg_call_form(lg_unsized_form_of(c, "MPI_Request_free"), c->binding, (long[]){request_at(c, i)}, 1);
}
