/* The schedule of a perturbed run: which of the choices that MPI leaves open are made
 * otherwise than the library would. laggard writes it; Schedule.Lines of
 * injector/provoke is its form. Read once, never changed. */
#pragma once

#include "base/base.h"
#include "mpi/numbers.h"

struct lg_open { /* a choice that is open: the count-th at its site, from 1 */
  uint32_t kind; /* enum lg_choice */
  int rank;      /* -1: the ranks of a communicator decide alike */
  uint64_t site, count;
  uint64_t at;   /* where the call is: the site, unless ranks decide alike */
  uint64_t turn; /* further numbers by which callers are told apart, such as the thread */
};

#pragma GCC visibility push(hidden)

extern uint32_t lg_perturbing;  /* the kinds that the schedule has, bits of enum lg_choice; 0: calls are left as they are */
extern uint64_t lg_longest_us;  /* the longest that one choice may hold a call back, microseconds */
extern uint64_t lg_budget_us;   /* how much longer calls of this process may be held back, all in all */

bool lg_schedule_read(const char *path); /* false: it is none, and nothing is perturbed */
/* Whether the choice is made, and its value: microseconds, how often, or which one. What a
 * rule for many choices draws goes through shape, unless that is NULL, with the most that it may be. */
bool lg_schedule_takes(const struct lg_open *o, uint64_t *value, uint64_t (*shape)(const struct lg_open *, uint64_t, uint64_t most));
uint64_t lg_schedule_draw(const struct lg_open *o, uint64_t salt); /* a number that each run with the same seed draws */
const char *lg_choice_name(uint32_t kind);

#pragma GCC visibility pop
