/* Collective calls, and those that make and free communicators, windows and files. */
#pragma once

#include "mpi/call.h"

#pragma GCC visibility push(hidden)

void lg_before_coll(struct lg_call *c, int where); /* where: the argument that names the communicator */
void lg_before_icoll(struct lg_call *c, int where);
void lg_after_icoll(struct lg_call *c);
void lg_before_newcomm_groups(struct lg_call *c);
void lg_before_newcomm_leaders(struct lg_call *c);
void lg_after_newcomm(struct lg_call *c);
void lg_after_newcomm_dynamic(struct lg_call *c);
void lg_after_spawn(struct lg_call *c);
void lg_after_get_parent(struct lg_call *c);
void lg_after_newcomm_groups(struct lg_call *c);
void lg_after_newcomm_leaders(struct lg_call *c);
void lg_after_like(struct lg_call *c, int what, int where); /* a window or file was made */
/* lg_find_freed sets c->comm to what a call frees; it takes a pointer to the handle, which is gone afterwards. */
void lg_find_freed(struct lg_call *c, int what, int where);
void lg_before_free(struct lg_call *c, int what, int where); /* what: LG_HANDLE_… */
void lg_after_free(struct lg_call *c);

#pragma GCC visibility pop
