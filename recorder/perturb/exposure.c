#include "base/locks.h"
#include "mpi/handle.h"
#include "perturb/exposure.h"
#include "perturb/forward.h"

#define MOST 64

static long ended[MOST]; /* windows */
static int nended;

static int find(long win)
{
  int i = nended - 1;
  while (i >= 0 && ended[i] != win)
    i--;
  return i;
}

/* MPI_Win_test says yes as MPI_Win_wait would return: the epoch has ended then (MPI-4.0 §12.5.2). Until the program is told, it can do
 * with the window only what it could do before. */
bool lg_exposure_ended(const struct lg_call *c)
{
  long win = lg_handle_in(c, c->desc->win);
  int flag = 0;
  long given[] = {c->args[0], (long)&flag};
  if (find(win) >= 0)
    return true;
  if (nended == MOST || lg_call_form(c->real, c->binding, given, c->desc->nargs) || !flag)
    return false;
  ended[nended++] = win;
  return true;
}

bool lg_exposure_tell(const struct lg_call *c)
{
  lg_lock_tables();
  int i = find(lg_handle_in(c, c->desc->win));
  if (i >= 0)
    ended[i] = ended[--nended];
  lg_unlock_tables();
  return i >= 0;
}

static long return_at_once(void)
{
  return lg_return_code(lg_forwarded.call, 0);
}

void lg_exposure_waited(struct lg_call *c)
{
  if (nended && lg_exposure_tell(c))
    lg_put_instead(c, return_at_once, 0);
}
