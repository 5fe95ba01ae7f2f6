/* The buffers of a call that ends the process, and of the operations that are pending then: how far they reach, and what memory is
 * there. Readers say what of it is wrong. */
#pragma once

#include "identity/thread.h"

#pragma GCC visibility push(hidden)

/* Writes the buffers of the call that the thread is in (NULL: none), and of what it has begun. The frames of functions that have
 * returned are below sp. The mappings have been read. Only the first time that the process dies; in a signal handler. */
void lg_note_buffers(const struct lg_thr *t, const struct lg_call *c, uint64_t sp);

#pragma GCC visibility pop
