/* Where CPython keeps what a stack is read from: offsets in its structures, bytes.
 * From 3.13 on the interpreter states them itself. */
#ifndef LAGGARD_PYTHON_LAYOUT_H
#define LAGGARD_PYTHON_LAYOUT_H

#include "base/base.h"

#define LG_PY_ABSENT UINT32_MAX /* a field that this version does not have */

struct lg_py_layout {
  int minor;             /* of 3.minor */
  uint32_t finalizing;   /* in the runtime: not 0 once the interpreter is being ended */
  uint32_t interpreters; /* in the runtime: the first interpreter */
  uint32_t interpreter_next, threads; /* in an interpreter: the next one, its first thread */
  uint32_t thread_next, thread_id;    /* in a thread: the next one, its pthread_t */
  uint32_t thread_top;                /* the frame it executes, or the entry into the interpreter that leads there */
  uint32_t entry_frame, entry_next;   /* in an entry: its frame (absent: thread_top is one), the entry before */
  uint32_t thread_entry;              /* in a thread: the newest entry, on the C stack */
  uint32_t frame_back, frame_code, frame_instruction;
  uint32_t frame_kind; /* a byte that tells frames by which C code entered the interpreter */
  uint32_t code_file, code_name, code_first, code_lines, code_bytes;
  uint32_t object_type, type_name, length; /* in any object, in a type, in a text or bytes */
  uint32_t text_state, text_ascii, bytes;  /* in a text its kind, and where ASCII begins; where the bytes of bytes do */
  /* Of exceptions. All absent where it is not known how they are kept (thread_handled). */
  uint32_t thread_interpreter; /* in a thread: its interpreter, */
  uint32_t thread_handled;     /* the innermost item of those that are being handled, */
  uint32_t thread_raised;      /* the one that is set: up to 3.11 its type, itself, its traceback */
  uint32_t item_exception, item_next, exception_trace;
  uint32_t trace_next, trace_frame, trace_instruction; /* in a traceback */
  uint32_t object_code;  /* in a frame that is an object: its code; since 3.11 the frame, */
  uint32_t type_flags;
  uint32_t system, keys; /* in an interpreter what the module sys holds; in a dictionary its keys */
};

#pragma GCC visibility push(hidden)

/* The layout of version (as PY_VERSION_HEX has it) whose runtime is at that address;
 * false: this version is not known. */
bool lg_py_layout_of(uint32_t version, uint64_t runtime, struct lg_py_layout *out);

#pragma GCC visibility pop
#endif
