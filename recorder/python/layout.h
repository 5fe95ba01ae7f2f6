/* Where CPython keeps what a stack is read from: offsets in its structures, bytes.
 * From 3.13 on the interpreter states most of them itself. */
#pragma once

#include "base/base.h"

#define LG_PY_ABSENT UINT32_MAX /* a member that this version does not have, or whose place is not known */
#define LG_PY_STATED (1u << 31) /* in LG_PY_LAYOUTS: the number of a word of _Py_DebugOffsets */

#include "python/layouts.h" /* struct lg_py_layout, from binary/cpython/layouts.tbl */

#pragma GCC visibility push(hidden)

/* The layout of version (as PY_VERSION_HEX has it) whose runtime is at that address;
 * false: this version is not known. */
bool lg_py_layout_of(uint32_t version, uint64_t runtime, struct lg_py_layout *out);

#pragma GCC visibility pop
