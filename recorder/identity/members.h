/* Who is in a group, a communicator or a window, asked of the library by local
 * calls in the thread that names it; and what "the world" is, into whose ranks
 * all members are translated. */
#pragma once

#include "base/base.h"
#include "format.h"

struct lg_members {
  int n;
  int *world; /* world ranks; -1 outside MPI_COMM_WORLD */
  const struct lg_range *runs; /* instead of these, of members that are known; they are kept by another */
  uint32_t nruns;
  uint64_t hash;
};

#pragma GCC visibility push(hidden)

int lg_members_of_comm(long comm, struct lg_members *m); /* of the local group; returns the own rank in it, -1 unknown */
void lg_members_remote(long comm, struct lg_members *m); /* of the other group of an intercommunicator */
bool lg_is_inter(long comm);
bool lg_members_of_groups(long group, long group2, struct lg_members *m); /* of both; group2 0: of one */
bool lg_members_pair(long comm, int rank, struct lg_members *m); /* this process and a rank of another communicator */
void lg_members_sort(struct lg_members *m);
void lg_members_forget(struct lg_members *m);
/* Writes members as arithmetic runs; with out NULL it only counts them. */
uint32_t lg_members_ranges(const struct lg_members *m, struct lg_range *out);
/* The ranks in a window that a group's members have, negative for those outside;
 * *out is to be freed. -1: cannot tell. */
int lg_members_in_window(long win, long group, int **out);
int lg_comm_rank(long comm);

bool lg_world_from_comm(long world); /* false: this MPI does not answer */
bool lg_world_known(void);
void lg_session_begun(long session);
void lg_session_ends(long session);
void lg_session_ended(void);
bool lg_sessions_open(void);

#pragma GCC visibility pop
