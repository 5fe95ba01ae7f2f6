/* Where the node file lies: in the run directory, or for the time being in a
 * directory of the node's own, with a link to the run directory. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* The path of this node's file of a run; its directories are made where they are
 * missing. NULL: they cannot be, and the recording is turned off. */
const char *lg_path_of_node(const char *dir, uint64_t run_id);

#pragma GCC visibility pop
