/* Sequence numbers in the file: odd while the words that they guard change, so
 * that a reader of a living or killed process knows a half-written block. */
#pragma once

#define lg_seq_begin(seq)                                   \
  do {                                                      \
    __atomic_store_n(seq, *(seq) + 1, __ATOMIC_RELAXED);    \
    __atomic_thread_fence(__ATOMIC_RELEASE);                \
  } while (0)

#define lg_seq_end(seq) __atomic_store_n(seq, *(seq) + 1, __ATOMIC_RELEASE)
