/* What every wrapper calls: before the call of the MPI library, and after it. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

/* ra, cfa: LG_RA and LG_CFA of the wrapper. false: the call is not recorded, lg_after is not to follow. */
bool lg_before(struct lg_call *c, const struct lg_desc *d, int binding, long *args, uint64_t ra, uint64_t cfa);
void lg_after(struct lg_call *c);
/* lg_light_real is what a call that is no state goes to, in place of real, where the MPI library is not everybody's. */
void *lg_light_real(int entry, void *real, uint64_t ra);
struct lg_thr *lg_light_begin(uint64_t cfa); /* counts a call that is no state; NULL inside another */

#pragma GCC visibility pop
