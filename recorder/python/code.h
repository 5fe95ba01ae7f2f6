/* The functions of a Python program: the record of each, by its code object. */
#ifndef LAGGARD_PYTHON_CODE_H
#define LAGGARD_PYTHON_CODE_H

#include "base/base.h"
#include "python/layout.h"

struct lg_py_code { /* what is read of a code object */
  uint64_t file, name, lines; /* texts, and the table of lines */
  uint64_t bytes;             /* where its instructions begin; 0: instructions are counted from 0 */
  int first;
};

#pragma GCC visibility push(hidden)

/* The file lock is held around these. */
bool lg_py_code(const struct lg_py_layout *l, uint64_t code, struct lg_py_code *out); /* false: it is none */
int lg_py_code_line(const struct lg_py_layout *l, const struct lg_py_code *c, uint64_t instruction); /* 0 none */
/* file ":" qualified name, ended by a zero byte; false: these are no texts. */
bool lg_py_code_text(const struct lg_py_layout *l, const struct lg_py_code *c, char *text, size_t room);

#pragma GCC visibility pop
#endif
