/* The functions of a Python program: the record of each, by its code object. */
#pragma once

#include "base/base.h"
#include "python/layout.h"

struct lg_py_code { /* what is read of a code object */
  uint64_t file, name, lines; /* texts, and the table of lines */
  uint64_t bytes;             /* where its instructions begin; 0: instructions are counted from 0 */
  int first;
};

#pragma GCC visibility push(hidden)

/* The file lock is held around these. */

/* Whether an object is of the type with that name, of less than 16 letters. *met is that type,
 * once it was met; there are few types, so the one that was met last is kept of each. */
bool lg_py_is(const struct lg_py_layout *l, uint64_t object, const char *name, uint64_t *met);
/* Copies the text that a string object is, with a dot for what would be misread (control characters,
 * and `avoid`); how many bytes it has, 0: it is empty, or none. */
size_t lg_py_text(const struct lg_py_layout *l, uint64_t object, char *to, size_t room, char avoid);
bool lg_py_code(const struct lg_py_layout *l, uint64_t code, struct lg_py_code *out); /* false: it is none */
int lg_py_code_line(const struct lg_py_layout *l, const struct lg_py_code *c, uint64_t instruction); /* 0 none */
/* file ":" qualified name, ended by a zero byte; false: these are no texts. */
bool lg_py_code_text(const struct lg_py_layout *l, const struct lg_py_code *c, char *text, size_t room);

#pragma GCC visibility pop
