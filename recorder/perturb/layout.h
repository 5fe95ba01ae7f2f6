/* The memory that a buffer of a call describes: which bytes, and a pattern in them. */
#pragma once

#include "mpi/call.h"

struct lg_layout {
  char *at;     /* the first byte */
  size_t bytes; /* from there to the last */
  long first;   /* how far the first byte is behind the address that the program gave */
  bool dense;   /* all bytes in between are described */
  long type;    /* of those of a buffer that is not dense, made here */
  int packed;   /* bytes that are described, of such a buffer */
};

#pragma GCC visibility push(hidden)

/* Finds the buffer that a call receives into. False: there is none, or it cannot be told. */
bool lg_layout_of(const struct lg_call *c, struct lg_layout *l);
void lg_layout_drop(struct lg_layout *l);
void lg_layout_fill(const struct lg_layout *l); /* with the pattern */
void lg_layout_copy(const struct lg_layout *l, const char *from); /* what is described, from the same layout elsewhere */
void lg_fill(void *at, size_t bytes); /* memory with the pattern */

#pragma GCC visibility pop
