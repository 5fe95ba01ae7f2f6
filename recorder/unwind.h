/* Between modules.c, cfi.c and unwind.c: what is mapped where, what its call
 * frame information says, and stepping from frame to frame by it. */
#ifndef LAGGARD_UNWIND_H
#define LAGGARD_UNWIND_H

#include "core.h"

#if !defined(__x86_64__)
#error "the unwinder knows x86-64 only"
#endif

#pragma GCC visibility push(hidden)

/* ---- modules.c ---- */

struct module {
  uint64_t lo, hi, bias; /* executable addresses; what to add to a file address */
  const unsigned char *eh_hdr;
  uint64_t image_lo, image_hi;
  const unsigned char *build_id;
  uint32_t build_id_len;
  const char *path;
  uint32_t index; /* of its record, LG_NO_MODULE before one is written */
};

extern bool may_refresh; /* not in a signal handler: the loader's lock may be held */
struct module *module_in_table(uint64_t pc);
struct module *module_at(uint64_t pc); /* refreshes the table if it must and may */

/* ---- cfi.c: call frame information (System V ABI for x86-64, DWARF 4 §6.4) ---- */

enum { RBP = 6, RSP = 7, PC = 16, NREGS = 17 };

enum rule_kind { SAME, UNDEFINED, AT_CFA, CFA_PLUS, IN_REG, AT_EXPR, IS_EXPR };

struct rule {
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

struct fde {
  const unsigned char *ins, *ins_end, *cie_ins, *cie_end;
  uint64_t start, length;
  uint64_t code_align;
  int64_t data_align;
  bool signal_frame;
};

bool peek(const struct lg_stack *s, uint64_t at, uint64_t *out); /* false: outside the stack */
bool find_fde(const struct module *m, uint64_t pc, struct fde *f);
bool row_at(const struct fde *f, uint64_t pc, struct row *out);
bool find_cfa(const struct row *row, const struct lg_regs *r, const struct lg_stack *s, uint64_t *cfa);
/* What register i was in the caller; slot: where on the stack it was found. */
void restore(const struct row *row, int i, const struct lg_regs *was, uint64_t cfa, const struct lg_stack *s, struct lg_regs *now, uint64_t *slot);

#pragma GCC visibility pop
#endif
