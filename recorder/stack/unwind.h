/* Unwinding: from registers to the return addresses of a stack. Our own, because
 * it must run in a signal handler and over another thread's stack, must never
 * fault on a damaged stack, and must tell where on the stack each return address
 * stands. The file lock is held around it. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "stack/cfi.h"

struct lg_trace {
  int n;
  bool partial; /* it ended before the outermost frame */
  uint64_t pc[LG_MAX_FRAMES];
  uint64_t slot[LG_MAX_FRAMES]; /* address the pc was read from; 0: it was in a register */
  uint64_t sp[LG_MAX_FRAMES];   /* the stack pointer there: where the frame begins */
};

#pragma GCC visibility push(hidden)

/* From the registers of a captured thread. */
void lg_unwind(struct lg_regs *r, const struct lg_stack *s, bool in_handler, struct lg_trace *out);
/* The callers of the wrapper with that LG_CFA; stack_hi is the end of the thread's own stack, 0 unknown. */
void lg_unwind_caller(uint64_t cfa, uint64_t stack_hi, struct lg_trace *out);

#pragma GCC visibility pop
