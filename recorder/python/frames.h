/* The Python frames of a thread, innermost first. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "python/layout.h"

struct lg_py_frame {
  uint64_t at;          /* its address */
  uint64_t code;        /* its code object */
  uint64_t instruction; /* address, or byte in the code, as struct lg_py_code counts */
  uint64_t entry;       /* an address on the C stack in the frame that interprets it; 0 not known */
};

struct lg_py_frames {
  int n;
  bool cut; /* there are more */
  struct lg_py_frame list[LG_MAX_FRAMES];
};

#pragma GCC visibility push(hidden)

/* The interpreter's structure of a thread, by its pthread_t; 0: it never ran Python. */
uint64_t lg_py_thread(const struct lg_py_layout *l, uint64_t runtime, uint64_t pthread);
/* Lists the threads of all interpreters by their pthread_t, up to so many; how many there are in the list. */
int lg_py_threads(const struct lg_py_layout *l, uint64_t runtime, uint64_t *pthreads, int most);
uint64_t lg_py_top(const struct lg_py_layout *l, uint64_t thread); /* its innermost frame, 0 none */
void lg_py_frames(const struct lg_py_layout *l, uint64_t thread, struct lg_py_frames *out);

#pragma GCC visibility pop
