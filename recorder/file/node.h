/* The node file: opened by every rank of a node, grown piece by piece, mapped
 * shared so that a killed rank leaves its last state behind. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

bool lg_file_open(void); /* false: not started by laggard, or the recording was turned off */
uint32_t lg_slot(void);  /* of this process in the file */
uint32_t *lg_file_ending(void); /* where the kernel is to note the end of this process; NULL: too many slots */
/* The size of a chunk with room for so many bytes: a multiple of LG_PAGE_SIZE, and of the pages of
 * this machine, which may be larger, so that each chunk can be mapped by itself. */
size_t lg_file_rounded(size_t size);
/* Space in the file: bytes (as lg_file_rounded gives them) that are nobody else's, added
 * to *sum, which is at most `most`; -1: none, `why` says it (NULL: `most` is reached). */
int64_t lg_file_space(size_t size, uint64_t *sum, uint64_t most, const char **why);
void *lg_file_map(int64_t at, size_t size); /* NULL: failed, errno */
void lg_file_unmap(void *p, size_t size);
/* In the handler of SIGBUS: whether the address is in the file, which somebody has cut
 * short. Memory is there now, so that whoever wrote to it goes on. */
bool lg_file_fault(const void *address);
bool lg_file_cut(void); /* that has happened: nothing more is recorded */
bool lg_file_write(const void *p, size_t n, int64_t at);
void lg_file_sync_header(void);
bool lg_file_shared(void); /* other nodes may read it: it is on no disk of this node's */

#pragma GCC visibility pop
