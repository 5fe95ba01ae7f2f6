/* Alternate signal stacks for threads that have none, so that the handler of a fault can run when the stack has overflowed. The
 * program sees none of it, and its handlers run where they would without. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Gives the calling thread one, unless it has one. *room is the memory that is kept for it; NULL: there is none yet. */
void lg_alternate_give(char **room);
void lg_alternate_end(char **room); /* the thread ends, and another one may be given its memory */
bool lg_alternate_theirs(void);    /* the program has set one, in the calling thread or, as far as is known, in another */
bool lg_alternate_only_ours(void); /* the calling thread has one, and the program none */
/* The calling thread has one on which ours has room, and so have those of the program that are known. */
bool lg_alternate_roomy(void);
bool lg_alternate_on(void); /* the calling thread runs on one */
extern bool lg_alternate_off;      /* no thread is given one */
/* What the floor above does when the program sets the first one, or a smaller one; false: it was in a child of vfork. */
extern bool (*lg_when_alternate)(void);

#pragma GCC visibility pop
