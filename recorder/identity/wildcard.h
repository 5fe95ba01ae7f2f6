/* Receives with a wildcard that were begun and are not complete. Which message each of them took, if any, is not known yet. */
#pragma once

#include "base/base.h"
#include "format.h"

#pragma GCC visibility push(hidden)

/* Counts one that a state of a thread began: the number of its entry, from 1; 0: no room. */
uint32_t lg_wildcard_begin(uint32_t comm, int peer, int tag, uint32_t thread, uint32_t state);
void lg_wildcard_end(uint32_t entry); /* what it took is known, or that it took nothing; entry 0: it has none */
void lg_wildcards_forget(uint32_t comm); /* the communicator is another one now */

#pragma GCC visibility pop
