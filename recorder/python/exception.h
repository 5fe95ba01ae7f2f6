/* The exception that a thread is in the midst of. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "python/frames.h"
#include "python/layout.h"

struct lg_py_exception {
  uint32_t how; /* enum lg_raised_how */
  char type[LG_MAX_RAISED_TYPE];
  int n; /* the frames that it came through, innermost first: where it was raised */
  bool cut; /* there are more before the last of them */
  struct lg_py_frame list[LG_MAX_RAISED]; /* of these only code and instruction */
};

#pragma GCC visibility push(hidden)

/* `last`: also the one that the interpreter printed because nothing caught it, if there is no other. */
void lg_py_exception(const struct lg_py_layout *l, uint64_t thread, bool last, struct lg_py_exception *out);

bool lg_py_is_exception(const struct lg_py_layout *l, uint64_t object);
/* Copies what an exception says, if that is a text that it was made with: up to LG_MAX_RAISED_TEXT bytes, "" unknown. */
void lg_py_says(const struct lg_py_layout *l, uint64_t exception, char *to);

#pragma GCC visibility pop
