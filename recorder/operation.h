/* What the files that follow operations share: how an operation is published,
 * and the steps around a call that call.c chooses from by the call's class. */
#ifndef LAGGARD_OPERATION_H
#define LAGGARD_OPERATION_H

#include "core.h"

static inline void put_pending(struct lg_thread *p, uint32_t n, struct lg_pending e)
{
  if (n < LG_MAX_PENDING)
    p->pending[n] = e;
}

static inline void publish(const struct lg_call *c, uint32_t kind, uint32_t n)
{
  struct lg_thread *p = c->thr->pub;
  p->state = c->st->index;
  p->kind = kind;
  p->npending = n;
  p->nlisted = n < LG_MAX_PENDING ? n : LG_MAX_PENDING;
  p->in_mpi = 1;
  p->calls++;
}

static inline void begin(const struct lg_call *c)
{
  lg_seq_begin(&c->thr->pub->seq);
}

static inline void end(const struct lg_call *c)
{
  c->thr->pub->progress++;
  lg_seq_end(&c->thr->pub->seq);
}

static inline void simple(struct lg_call *c, uint32_t kind)
{
  begin(c);
  publish(c, kind, 0);
  end(c);
}

/* A local call is no progress; within a polling loop it leaves standing what is
 * polled. */
static inline void local(struct lg_call *c)
{
  struct lg_thread *p = c->thr->pub;
  bool polling = c->thr->poll_mark == p->progress + 1;
  begin(c);
  publish(c, polling ? p->kind : LG_OP_LOCAL, polling ? p->npending : 0);
  lg_seq_end(&p->seq);
}

static inline void one(struct lg_call *c, uint32_t kind, struct lg_pending e)
{
  begin(c);
  put_pending(c->thr->pub, 0, e);
  publish(c, kind, 1);
  end(c);
}

#pragma GCC visibility push(hidden)

/* ---- point-to-point (p2p.c) ---- */

/* Counts a message on its channel and returns its number, from 1; 0 unknown. */
uint64_t count_send(struct lg_call *c, uint32_t comm, int peer, int tag);
uint64_t count_recv(struct lg_call *c, uint32_t comm, int peer, int tag);
bool wild(int peer, int tag);
bool make_room(struct lg_thr *t, uint32_t n); /* for n requests of one call */
void want_status(struct lg_call *c, uint32_t n);
const char *status_at(const struct lg_call *c, int k); /* NULL: ignored */
int status_int(const char *status, int offset);
uint64_t matched(struct lg_call *c, uint32_t comm, const char *status); /* counts a wildcard receive on the channel its status names; its number, 0 unknown */
void before_send(struct lg_call *c, bool blocks);
void before_bsend(struct lg_call *c);
void note_buffered(uint32_t comm, int peer, int tag, uint64_t seq);
void before_detach(struct lg_call *c);
void after_detach(void);
void before_recv(struct lg_call *c, uint32_t kind);
void begun_recv(struct lg_call *c);
void before_sendrecv(struct lg_call *c, bool blocks);
uint32_t list_probe(struct lg_call *c, uint32_t n);
void found_message(struct lg_call *c);
void take_message(struct lg_call *c, struct lg_pending *e);

/* ---- requests and polls (wait.c) ---- */

struct lg_req *remember(struct lg_call *c, uint32_t kind);
void after_begun(struct lg_call *c, uint32_t kind);
void after_isendrecv(struct lg_call *c);
void after_init_request(struct lg_call *c, uint32_t kind);
void start_one(struct lg_call *c, long handle);
void before_wait(struct lg_call *c, uint32_t kind);
void completed_all(struct lg_call *c);
void completed_any(struct lg_call *c);
bool completed_some(struct lg_call *c);
void before_poll(struct lg_call *c, uint32_t (*list)(struct lg_call *, uint32_t));
uint32_t list_tests(struct lg_call *c, uint32_t n);
uint32_t list_status_query(struct lg_call *c, uint32_t n);
void polled(struct lg_call *c, bool got);
bool poll_again(struct lg_call *c); /* publishes the call if it is the poll before again, which was in vain */

/* ---- windows (window.c) ---- */

void before_post(struct lg_call *c);
void before_start(struct lg_call *c);
void before_complete(struct lg_call *c);
void after_complete(struct lg_call *c);
void before_win_wait(struct lg_call *c);
void after_win_wait(struct lg_call *c);
uint32_t list_window(struct lg_call *c, uint32_t n);
void before_window(struct lg_call *c); /* any other synchronisation with a target, or all */
void before_lock(struct lg_call *c);
void after_lock(struct lg_call *c);
void after_unlock(struct lg_call *c);
void before_rma(struct lg_call *c);

#pragma GCC visibility pop
#endif
