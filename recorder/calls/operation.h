/* How a call is published in the thread's record, for whoever looks at a rank that
 * never comes back: what kind of operation it is, and what it waits for. */
#pragma once

#include "base/base.h"
#include "base/seq.h"
#include "format.h"
#include "identity/thread.h"
#include "mpi/call.h"

/* lg_op_wait_for puts an entry into the list of what is waited for. */
static inline void lg_op_wait_for(struct lg_thread *p, uint32_t n, struct lg_pending e)
{
  if (n < LG_MAX_PENDING)
    p->pending[n] = e;
}

static inline void lg_op_begin(const struct lg_call *c)
{
  lg_seq_begin(&c->thr->pub->seq);
}

/* lg_op_publish says what the call is, with n entries in the list. */
static inline void lg_op_publish(const struct lg_call *c, uint32_t kind, uint32_t n)
{
  struct lg_thread *p = c->thr->pub;
  p->state = c->st->index;
  p->kind = kind;
  p->npending = n;
  p->nlisted = n < LG_MAX_PENDING ? n : LG_MAX_PENDING;
  p->in_mpi = 1;
  p->calls++;
}

static inline void lg_op_end(const struct lg_call *c)
{
  c->thr->pub->progress++;
  lg_seq_end(&c->thr->pub->seq);
}

/* lg_op_simple is all of these for a call that waits for nothing that is known. */
static inline void lg_op_simple(struct lg_call *c, uint32_t kind)
{
  lg_op_begin(c);
  lg_op_publish(c, kind, 0);
  lg_op_end(c);
}

/* lg_op_one is all of these for a call that waits for one thing. */
static inline void lg_op_one(struct lg_call *c, uint32_t kind, struct lg_pending e)
{
  lg_op_begin(c);
  lg_op_wait_for(c->thr->pub, 0, e);
  lg_op_publish(c, kind, 1);
  lg_op_end(c);
}

/* lg_op_polling: no progress was made since the thread began to poll. */
static inline bool lg_op_polling(const struct lg_thr *t)
{
  return t->poll_mark == t->pub->progress + 1;
}

/* lg_op_local: a local call is no progress; within a polling loop the list of what
 * is polled stays. */
static inline void lg_op_local(struct lg_call *c)
{
  struct lg_thread *p = c->thr->pub;
  bool polling = lg_op_polling(c->thr);
  lg_op_begin(c);
  lg_op_publish(c, polling ? p->kind : LG_OP_LOCAL, polling ? p->npending : 0);
  lg_seq_end(&p->seq);
}
