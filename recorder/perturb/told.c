#include "format.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "perturb/told.h"

#define MOST 64

struct told {
  long comm;
  int peer, tag; /* of the message; where the program ignores the status, as the probe asked */
};

static struct told told[MOST];
static int ntold; /* more than there is room for: from then on no probe is answered no */

static bool is_alike(int a, int b)
{
  return a == b || a == LG_ANY || b == LG_ANY;
}

static struct told asked_by(const struct lg_call *c)
{
  int8_t peer = c->desc->cls == CLS_sendrecv || c->desc->cls == CLS_isendrecv ? c->desc->peer2 : c->desc->peer;
  int8_t tag = peer == c->desc->peer ? c->desc->tag : c->desc->tag2;
  return (struct told){lg_comm_handle(c, c->desc->comm), lg_peer(lg_int(c, peer)), lg_tag(lg_int(c, tag))};
}

bool lg_told(const struct lg_call *c)
{
  struct told t = asked_by(c);
  bool found = ntold > MOST;
  for (int i = 0; i < ntold && !found; i++)
    found = told[i].comm == t.comm && is_alike(told[i].peer, t.peer) && is_alike(told[i].tag, t.tag);
  return found;
}

/* same_as gives the place in the list of exactly that; -1: it is not there. */
static int same_as(const struct told *t)
{
  for (int i = 0; i < ntold && ntold <= MOST; i++)
    if (told[i].comm == t->comm && told[i].peer == t->peer && told[i].tag == t->tag)
      return i;
  return -1;
}

static void tell(struct told t)
{
  if (ntold > MOST || same_as(&t) >= 0)
    return;
  if (ntold < MOST)
    told[ntold] = t;
  ntold++;
}

void lg_tell(const struct lg_call *c)
{
  struct told t = asked_by(c);
  const char *status = lg_status_at(c, 0);
  if (status) {
    t.peer = lg_status_int(status, lg_fam.status_source);
    t.tag = lg_status_int(status, lg_fam.status_tag);
  }
  tell(t);
}

/* A message of one sender with one tag is taken by the next receive that asks for these, as they are in order. Where the program
 * knows only that there is a message for a wildcard, it knows of none after a receive with the same wildcard. */
void lg_told_taken(const struct lg_call *c)
{
  struct told t = asked_by(c);
  int i = same_as(&t);
  if (i >= 0)
    told[i] = told[--ntold];
}

void lg_told_by(const struct lg_call *c)
{
  switch (c->desc->cls) {
  case CLS_recv: case CLS_irecv: case CLS_mprobe: case CLS_sendrecv: case CLS_isendrecv: return lg_told_taken(c);
  case CLS_probe: return tell(asked_by(c));
  default: return;
  }
}
