#include <string.h>
#include "base/locks.h"
#include "calls/argument.h"
#include "calls/collective.h"
#include "calls/dispatch.h"
#include "calls/operation.h"
#include "calls/p2p.h"
#include "calls/poll.h"
#include "calls/rma.h"
#include "calls/wait.h"
#include "file/rank.h"
#include "file/record.h"
#include "format.h"
#include "identity/comm.h"
#include "identity/datatype.h"
#include "identity/members.h"
#include "mpi/extent.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "mpi/symbol.h"
#include "mpi/type.h"

static void before_type_free(struct lg_call *c)
{
  c->handle = lg_datatype_handle(c, 0);
  lg_extent_freed(c, c->thr->pub->index, c->st->index);
  lg_op_local(c);
}

static void after_type_free(const struct lg_call *c)
{
  lg_datatype_freed(c->handle);
  lg_type_freed();
}

void lg_dispatch_before(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_type_free: return before_type_free(c);
  case CLS_send: return lg_before_send(c, true);
  case CLS_isend: return lg_before_send(c, false);
  case CLS_bsend: case CLS_ibsend: return lg_before_bsend(c);
  case CLS_detach: case CLS_flush: return lg_before_detach(c);
  case CLS_attach: c->comm = lg_comm_of(c->st, c, d->comm); return lg_op_simple(c, LG_OP_LOCAL);
  case CLS_recv: return lg_before_recv(c, LG_OP_RECV);
  case CLS_probe: return lg_before_recv(c, LG_OP_PROBE);
  case CLS_mprobe: return lg_before_mprobe(c);
  case CLS_irecv: return lg_before_irecv(c);
  case CLS_sendrecv: return lg_before_sendrecv(c, true);
  case CLS_isendrecv: return lg_before_sendrecv(c, false);
  case CLS_iprobe: case CLS_improbe: return lg_before_poll(c, lg_list_probe);
  case CLS_mrecv: return lg_before_mrecv(c);
  case CLS_imrecv: return lg_before_imrecv(c);
  case CLS_wait: case CLS_waitall: return lg_before_wait(c, LG_OP_WAIT);
  case CLS_waitany: case CLS_waitsome: return lg_before_wait(c, LG_OP_WAITANY);
  case CLS_test: case CLS_testall: case CLS_testany: case CLS_testsome: return lg_before_poll(c, lg_list_tests);
  case CLS_get_status: case CLS_parrived: return lg_before_poll(c, lg_list_status_query);
  case CLS_win_test: return lg_before_poll(c, lg_list_window);
  case CLS_start: return lg_before_start(c, 1);
  case CLS_startall: return lg_before_start(c, lg_int(c, d->count));
  case CLS_request_free: return lg_before_request_free(c);
  case CLS_cancel: return lg_before_cancel(c);
  case CLS_coll: case CLS_newcomm: case CLS_newcomm_dynamic: case CLS_newcomm_spawn: case CLS_newwin: case CLS_newfile:
    return lg_before_coll(c, d->comm);
  case CLS_win_coll: return lg_before_coll(c, d->win);
  case CLS_file_coll: return lg_before_coll(c, d->file);
  case CLS_icoll: case CLS_newcomm_nb: return lg_before_icoll(c, d->comm);
  case CLS_file_icoll: return lg_before_icoll(c, d->file);
  case CLS_newcomm_groups: return lg_before_newcomm_groups(c);
  case CLS_newcomm_leaders: return lg_before_newcomm_leaders(c);
  case CLS_other: return lg_op_simple(c, LG_OP_OTHER);
  case CLS_win_post: return lg_before_win_post(c);
  case CLS_win_start: return lg_before_win_start(c);
  case CLS_win_complete: return lg_before_win_complete(c);
  case CLS_win_wait: return lg_before_win_wait(c);
  case CLS_win_lock: return lg_before_win_lock(c);
  case CLS_win_flush: case CLS_win_unlock: return lg_before_window(c);
  case CLS_rma: case CLS_rma_now: case CLS_rma_nb: return lg_before_rma(c);
  case CLS_session_finalize: lg_session_ends(lg_session_handle(c, d->nargs - 1)); return lg_op_simple(c, LG_OP_OTHER);
  case CLS_comm_free: return lg_before_free(c, LG_HANDLE_COMM, d->newcomm);
  case CLS_win_free: return lg_before_free(c, LG_HANDLE_WIN, d->win);
  case CLS_file_free: return lg_before_free(c, LG_HANDLE_FILE, d->file);
  case CLS_init: return lg_op_simple(c, LG_OP_INIT);
  case CLS_finalize: lg_rank->status = LG_FINALIZING; return lg_op_simple(c, LG_OP_FINALIZE);
  case CLS_abort: lg_said_end(LG_ABORTED, lg_int(c, 1), LG_ENDER_PROGRAM); return lg_op_simple(c, LG_OP_ABORT);
  case CLS_send_init: case CLS_bsend_init: case CLS_recv_init: c->comm = lg_comm_of(c->st, c, d->comm); return lg_op_local(c);
  case CLS_coll_init: c->comm = lg_comm_of(c->st, c, d->comm); return lg_op_simple(c, LG_OP_LOCAL);
  case CLS_file_nb: case CLS_flush_nb: return lg_op_simple(c, LG_OP_LOCAL);
  default: return lg_op_local(c);
  }
}

/* found_one tells whether a poll found something, by its flag or how many. */
static inline bool found_one(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  return !lg_refused(c) && (d->flag >= 0 ? *(const int *)c->args[d->flag] != 0 : *(const int *)c->args[d->outcount] > 0);
}

/* after_poll settles what a poll found, if it found something. */
static inline void after_poll(struct lg_call *c, void (*found)(struct lg_call *))
{
  bool got = found_one(c);
  if (got && found)
    found(c);
  lg_polled(c, got);
}

/* library writes down which MPI this is, and which version of it. */
static void library(void)
{
  static char text[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH; that of OpenMPI is less */
  long (*version)(char *, int *) = (long (*)(char *, int *))lg_find_symbol("PMPI_Get_library_version");
  int n = 0;
  if (!version || version(text, &n))
    return;
  text[sizeof text - 1] = 0;
  lg_lock_file();
  lg_text(LG_REC_LIBRARY, text, (uint32_t)strcspn(text, "\n"));
  lg_unlock_file();
}

/* after_init: MPI may be asked from now on. */
static void after_init(void)
{
  int level = -1;
  long (*query)(int *) = (long (*)(int *))lg_find_symbol("PMPI_Query_thread");
  if (query && query(&level) == 0) {
    lg_rank->thread_level = lg_thread_level(level);
    if (lg_rank->thread_level >= LG_THREAD_MULTIPLE)
      lg_shared = true; /* from the next call on */
  }
  library();
  lg_arguments_start();
  lg_comm_start();
  lg_rank->status = LG_RUNNING;
  lg_mpi_ready = true;
}

/* makes tells whether a call returns something new. One that MPI refused leaves there what was there before. */
static bool makes(int cls)
{
  switch (cls) {
  case CLS_isend: case CLS_ibsend: case CLS_irecv: case CLS_imrecv: case CLS_isendrecv: case CLS_mprobe:
  case CLS_send_init: case CLS_bsend_init: case CLS_recv_init: case CLS_coll_init:
  case CLS_icoll: case CLS_file_icoll: case CLS_rma_nb: case CLS_file_nb: case CLS_flush_nb:
  case CLS_newcomm: case CLS_newcomm_nb: case CLS_newcomm_dynamic: case CLS_newcomm_spawn: case CLS_newwin: case CLS_newfile:
  case CLS_comm_free: case CLS_win_free: case CLS_file_free: case CLS_type_commit: case CLS_type_free: case CLS_newtype:
  case CLS_get_parent: case CLS_session_init: case CLS_init:
    return true;
  default:
    return false;
  }
}

bool lg_dispatched_within(const struct lg_desc *d)
{
  switch (d->cls) {
  case CLS_comm_free: case CLS_win_free: case CLS_file_free: case CLS_type_free: case CLS_newtype:
  case CLS_newcomm: case CLS_newcomm_dynamic: case CLS_newcomm_spawn: case CLS_newcomm_groups: case CLS_newcomm_leaders:
  case CLS_newwin: case CLS_newfile:
    return true;
  default:
    return false;
  }
}

void lg_dispatch_before_within(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_comm_free:
    return lg_find_freed(c, LG_HANDLE_COMM, d->newcomm);
  case CLS_win_free:
    return lg_find_freed(c, LG_HANDLE_WIN, d->win);
  case CLS_file_free:
    return lg_find_freed(c, LG_HANDLE_FILE, d->file);
  case CLS_type_free:
    c->handle = lg_datatype_handle(c, 0);
    return;
  case CLS_newcomm: case CLS_newcomm_dynamic: case CLS_newcomm_spawn: case CLS_newcomm_groups: case CLS_newwin: case CLS_newfile:
    c->comm = lg_comm_of(c->st, c, d->comm);
    return;
  default:
    return;
  }
}

void lg_dispatch_after_within(struct lg_call *c)
{
  if (lg_dispatched_within(c->desc))
    lg_dispatch_after(c);
}

void lg_dispatch_after(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (unlikely(c->code) && makes(d->cls))
    return;
  switch (d->cls) {
  case CLS_isend: case CLS_ibsend: return lg_after_begun(c, LG_OP_SEND);
  case CLS_detach: case CLS_flush: return lg_after_detach(c);
  case CLS_attach: return lg_after_attach(c);
  case CLS_irecv: case CLS_imrecv: return lg_after_begun(c, LG_OP_RECV);
  case CLS_isendrecv: return lg_after_isendrecv(c);
  case CLS_send_init: case CLS_bsend_init: return lg_after_init_request(c, LG_OP_SEND);
  case CLS_recv_init: return lg_after_init_request(c, LG_OP_RECV);
  case CLS_coll_init: return lg_after_init_request(c, LG_OP_COLL);
  case CLS_recv: case CLS_sendrecv: return lg_after_recv(c);
  case CLS_mrecv: return lg_after_mrecv(c);
  case CLS_wait: case CLS_waitall: return lg_completed_all(c);
  case CLS_waitany: lg_completed_any(c); return;
  case CLS_waitsome: lg_completed_some(c); return;
  case CLS_test: case CLS_testall: return after_poll(c, lg_completed_all);
  case CLS_testany: return lg_polled(c, found_one(c) && lg_completed_any(c));
  case CLS_testsome: return lg_polled(c, lg_completed_some(c));
  case CLS_iprobe: case CLS_get_status: case CLS_parrived: return after_poll(c, NULL);
  case CLS_win_test: return after_poll(c, lg_after_win_wait);
  case CLS_improbe: return after_poll(c, lg_after_mprobe);
  case CLS_mprobe: return lg_after_mprobe(c);
  case CLS_icoll: case CLS_newcomm_nb: case CLS_file_icoll: return lg_after_icoll(c);
  case CLS_newcomm: return lg_after_newcomm(c);
  case CLS_newcomm_dynamic: return lg_after_newcomm_dynamic(c);
  case CLS_newcomm_spawn: return lg_after_spawn(c);
  case CLS_get_parent: return lg_after_get_parent(c);
  case CLS_newcomm_groups: return lg_after_newcomm_groups(c);
  case CLS_newcomm_leaders: return lg_after_newcomm_leaders(c);
  case CLS_win_complete: return lg_after_win_complete(c);
  case CLS_win_wait: return lg_after_win_wait(c);
  case CLS_win_lock: return lg_after_win_lock(c);
  case CLS_win_unlock: return lg_after_win_unlock(c);
  case CLS_session_init: return lg_session_begun(lg_session_handle(c, d->nargs - 1));
  case CLS_session_finalize: return lg_session_ended();
  case CLS_newwin: return lg_after_like(c, LG_HANDLE_WIN, d->win);
  case CLS_newfile: return lg_after_like(c, LG_HANDLE_FILE, d->file);
  case CLS_comm_free: case CLS_win_free: case CLS_file_free: return lg_after_free(c);
  case CLS_rma_nb: return lg_after_begun(c, LG_OP_RMA);
  case CLS_file_nb: case CLS_flush_nb: lg_remember(c, LG_OP_OTHER); return;
  case CLS_type_commit: return lg_extent_keep(c);
  case CLS_type_free: return after_type_free(c);
  case CLS_newtype: return lg_datatype_made(lg_datatype_handle(c, d->nargs - 1), c->st, c->thr->pub->progress);
  case CLS_init: return after_init();
  case CLS_finalize: return lg_finalized(lg_sessions_open() ? c->thr->pub : NULL);
  default: return;
  }
}
