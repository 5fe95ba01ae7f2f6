/* Communicators: who is in them, under an id that all members compute alike
 * without a message: a hash of the parent's id, the members, and how many
 * communicators with these members this parent has had before. Windows and
 * files synchronise over the members of a communicator, so each is kept as a
 * communicator of its own. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "mpi/call.h"

struct lg_comm_ref {
  long handle;   /* C handle */
  uint32_t index;
  uint32_t use;  /* its number in the recording of usage, from 1; 0 none yet */
  int sources, dests, dims; /* of its topology, plus one; 0: not asked for yet */
  uint8_t what;  /* LG_HANDLE_* */
  bool freed;
  uint32_t born; /* how many there were when it was made: what is freed is used for another one */
  uint32_t freed_thread, freed_state; /* that freed it; state LG_NO_INDEX unknown */
  bool alone; /* it has one member, or is in the making: nobody compares what it did */
  uint32_t flags; /* as in struct lg_comm */
  uint64_t id;
  uint64_t births;  /* of what was made from it, see comm.c; 0: nothing was */
  uint64_t members; /* hash of the membership, both sides, and of the neighbours */
  int rank, size, remote_size; /* of the groups; rank -1, size 0: unknown */
  int slots;        /* messages of a neighbourhood collective, in the order of its arguments */
  uint64_t nobody;  /* bit k: slot k is MPI_PROC_NULL */
  const struct lg_comm *record; /* in the file: it has the members */
  uint64_t local, remote;       /* hashes of the members on either side */
  struct lg_comm_live *live;
  struct lg_history *history; /* NULL before its first collective, and where it has one member */
  struct lg_window *win; /* of a window, once it has been synchronised */
};

enum { LG_HANDLE_COMM, LG_HANDLE_WIN, LG_HANDLE_FILE, LG_HANDLE_FORMING };

#pragma GCC visibility push(hidden)

void lg_comm_start(void); /* the predefined ones, once MPI_Init has returned */
struct lg_comm_ref *lg_comm_find(int what, long handle);
struct lg_comm_ref *lg_comm_of(struct lg_st *st, const struct lg_call *c, int i); /* that a call names */
/* A new one. The two sides of an intercommunicator made from groups or leaders
 * have different parents, or none: NULL. */
void lg_comm_made(struct lg_call *c, long handle, struct lg_comm_ref *parent, uint32_t state);
/* Likewise, where making it was begun earlier: then its place among those of the parent was drawn, as MPI orders the beginnings only. */
void lg_comm_made_at(struct lg_call *c, long handle, struct lg_comm_ref *parent, uint32_t place, uint32_t state);
uint32_t lg_comm_next_place(struct lg_comm_ref *parent); /* of a communicator with the members of the parent */
void lg_comm_parent(struct lg_call *c, long handle, uint32_t state); /* the intercommunicator to those that spawned this process */
/* A new window or file over the members of a communicator. */
void lg_comm_like(struct lg_call *c, int what, long handle, struct lg_comm_ref *parent, uint32_t state);
/* One in the making: among the members of one group, or of two (0: none), or
 * between this process and a leader in another communicator. Free it when made. */
struct lg_comm_ref *lg_comm_forming(struct lg_call *c, long group, long group2, struct lg_comm_ref *parent, uint32_t state);
struct lg_comm_ref *lg_comm_meeting(struct lg_call *c, long comm, int leader, struct lg_comm_ref *parent, uint32_t state);
bool lg_comm_in_world(const struct lg_comm_ref *r); /* all its own members are known, and of this MPI_COMM_WORLD */
void lg_comm_free(struct lg_comm_ref *r);
const struct lg_comm_ref *lg_comm_find_freed(int what, long handle); /* that had the handle last, as far as it is still known; NULL */

#pragma GCC visibility pop
