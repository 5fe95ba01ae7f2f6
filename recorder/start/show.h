/* Making what a quiet rank recorded visible on other nodes. On a busy disk or file
 * server that takes many seconds, so a thread of its own does it: the watch thread
 * must go on telling that the process lives. Where the file is on a disk of this node
 * there is nothing to do, and nobody's pages are locked for it. */
#pragma once

#pragma GCC visibility push(hidden)

void lg_show(void);

#pragma GCC visibility pop
