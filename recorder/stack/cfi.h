/* Call frame information of a module: which rules restore the caller's registers
 * at an address, and what they make of the registers. Nothing outside the given
 * stack is read. (DWARF 4 §6.4.) */
#pragma once

#include "base/base.h"
#include "machine/machine.h"
#include "stack/dwarf.h"
#include "stack/modules.h"

struct lg_regs {
  uint64_t v[NREGS]; /* by their DWARF numbers */
  uint64_t known;    /* bit per register */
};

struct lg_stack { /* memory an unwinding may read: [lo, hi) seen at data */
  uint64_t lo, hi;
  const unsigned char *data; /* data[0] is the byte at lo */
};

enum rule_kind { SAME, UNDEFINED, AT_CFA, CFA_PLUS, IN_REG, AT_EXPR, IS_EXPR };

struct rule { /* where the caller's value of a register is */
  uint8_t kind;
  int64_t n; /* offset or register */
  const unsigned char *expr, *expr_end;
};

struct row {
  uint64_t lo, hi; /* code addresses for which it holds */
  struct rule cfa; /* IN_REG with offset in cfa_offset, or IS_EXPR */
  int64_t cfa_offset;
  struct rule reg[NREGS];
};

struct fde { /* of one function */
  const unsigned char *ins, *ins_end, *cie_ins, *cie_end;
  uint64_t start, length;
  uint64_t code_align;
  int64_t data_align;
  bool signal_frame;
};

#pragma GCC visibility push(hidden)

bool lg_stack_word(const struct lg_stack *s, uint64_t at, uint64_t *out); /* false: outside the stack */
bool lg_cfi_find(const struct lg_mapped *m, uint64_t pc, struct fde *f);
bool lg_cfi_row(const struct fde *f, uint64_t pc, struct row *out); /* the file lock is held */
bool lg_cfi_cfa(const struct row *row, const struct lg_regs *r, const struct lg_stack *s, uint64_t *cfa);
/* What register i was in the caller; slot (may be NULL): where on the stack it was found. */
void lg_cfi_restore(const struct row *row, int i, const struct lg_regs *was, uint64_t cfa, const struct lg_stack *s,
                    struct lg_regs *now, uint64_t *slot);

#pragma GCC visibility pop
