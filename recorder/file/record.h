/* Records of this process: appended to its chunks of the node file, and changed
 * in place from then on. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Room for a record; it counts once committed, and the file lock is held until
 * then. NULL: no room, the recording is turned off. */
void *lg_rec_begin(int type, int thread, uint32_t fixed, uint32_t size);
void lg_rec_commit(void *rec);
/* A record of that size that is a table without entries, committed. NULL: no room. The file lock is not held. */
void *lg_rec_table(int type, uint32_t size);
void lg_text(int type, const char *text, uint32_t bytes); /* a record that is a text; the file lock is held */
void lg_note(const char *text); /* why something was given up; the file lock is held */
void lg_file_sync(void); /* makes what a quiet rank recorded visible on other nodes */

#pragma GCC visibility pop
