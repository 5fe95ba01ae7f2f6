/* The process as the file knows it: its rank record, and how far MPI is up. */
#pragma once

#include "base/base.h"
#include "format.h"

#pragma GCC visibility push(hidden)

extern struct lg_rank *lg_rank; /* NULL before there is a file */
extern bool lg_mpi_ready;       /* MPI_Init or MPI_Session_init has returned */

bool lg_rank_open(uint32_t family); /* writes the record; the file lock is held */
bool lg_mpi_usable(void); /* MPI may be asked: it is ready, and MPI_Finalize has not returned */
/* MPI_Finalize has returned, or the last session was finalized. goes_on is the thread, if sessions are open; else NULL. */
void lg_finalized(const struct lg_thread *goes_on);
void lg_look_behind_finalize(void); /* whether that has called MPI since: then the rank has not finished */
bool lg_left_world(void);         /* so it is */
bool lg_in_rank(void); /* false in a child of vfork, which shares this memory but is no rank */
bool lg_is_rank(void); /* and it is being recorded */
/* How the process ends (enum lg_end), and whose thread ends it (enum lg_ender). A signal handler may say it. */
void lg_said_end(uint32_t end, int detail, uint32_t ender);
void lg_stays(void); /* it did not become another program after all */
/* A thread has called exit. Handlers of exit() that were there before MPI_Init come later, as destructors of static objects do, and
 * may call MPI: a rank that does is not said to have ended meanwhile. */
void lg_exits(const struct lg_thread *t);
void lg_look_behind_exit(void);
/* The same, by a signal. Returns when it ended; 0: it had ended otherwise. */
uint64_t lg_said_signal(const struct lg_signal *s, uint32_t ender);
void lg_survived(uint64_t end_time_ns); /* the program has dealt with the signal by which it was said to end then */
void lg_said_sender(const char name[LG_MAX_COMMAND]); /* a process above this one ends it, or asks it to end */
void lg_said_asked(const struct lg_signal *s); /* a signal asks the process to end */

#pragma GCC visibility pop
