#define _GNU_SOURCE
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/pages.h"
#include "format.h"
#include "stack/unwind.h"

#define GUESS_BYTES 65536   /* of a stack that are searched for a frame pointer */
#define FOREIGN_BYTES 65536 /* of a stack that is not the thread's own */
#define OWN_FRAMES 16       /* of the recorder, between here and the wrapper, at most */

/* A row of the common shape, kept so that a second unwinding through the same
 * call site costs no interpretation: CFA from rsp or rbp, the return address
 * just below it, rbp untouched or saved at a known place, rbx and r12–r15 not
 * needed by any frame above (a frame that needs them is never simple). */
struct simple {
  uint64_t pc;
  uint32_t gen;
  int32_t cfa_offset;
  int16_t rbp_at; /* offset from the CFA, 0 untouched */
  bool from_rbp;
  bool last; /* the stack ends here, and nothing else is known */
};
#define SIMPLE_BITS 12 /* rows that are kept, as a power of two */
static struct simple *simples;

/* The last few rows with all addresses that they hold for: a function that is long
 * and calls once from each place has few rows. */
#define SPANS 16
static struct span {
  uint64_t lo, hi;
  struct simple row;
} spans[SPANS];
static uint32_t span_turn;

static struct simple *simple_place(uint64_t pc)
{
  return &simples[lg_spread(pc, SIMPLE_BITS)];
}

static struct simple *simple_at(uint64_t pc)
{
  struct simple *k = simple_place(pc);
  if (k->pc == pc && k->gen == lg_module_gen)
    return k;
  for (int i = 0; i < SPANS; i++)
    if (pc >= spans[i].lo && pc < spans[i].hi && spans[i].row.gen == lg_module_gen) {
      *k = spans[i].row;
      k->pc = pc;
      return k;
    }
  return NULL;
}

/* The instructions of x86-64 that a return address follows. */
enum { CALL_RELATIVE = 0xe8, GROUP5 = 0xff, GROUP5_KIND = 0x38, GROUP5_CALL = 0x10 };

/* indirect_call tells whether a call through a register or memory may begin there. */
static bool indirect_call(const unsigned char *code)
{
  return code[0] == GROUP5 && (code[1] & GROUP5_KIND) == GROUP5_CALL;
}

/* guess_rbp looks for the frame that holds the return address of a frame-pointer
 * function whose frame pointer is not known (a thread asleep in a system call
 * shows only its stack pointer): the first stored pair (saved rbp, return
 * address) whose return address follows a call to this very function, or an
 * indirect call. */
static bool guess_rbp(const struct lg_stack *s, uint64_t from, uint64_t function, uint64_t *rbp)
{
  for (uint64_t at = (from + 7) & ~7ull; at < from + GUESS_BYTES; at += 8) {
    uint64_t ra;
    if (!lg_stack_word(s, at + 8, &ra))
      return false;
    struct lg_mapped *m = lg_module_in_table(ra);
    if (!m || ra - m->lo < 8)
      continue;
    const unsigned char *code = (const unsigned char *)ra;
    int32_t rel;
    memcpy(&rel, code - 4, 4);
    bool direct = code[-5] == CALL_RELATIVE && ra + (uint64_t)(int64_t)rel == function;
    if (direct || indirect_call(code - 2) || indirect_call(code - 3) || indirect_call(code - 6)) {
      *rbp = at;
      return true;
    }
  }
  return false;
}

static bool step_full(struct lg_regs *r, const struct lg_stack *s, struct lg_mapped *m, uint64_t pc, uint64_t *slot, bool keep)
{
  struct fde f;
  static struct row row; /* large; the file lock is held */
  uint64_t cfa;
  if (!lg_cfi_find(m, pc, &f) || !lg_cfi_row(&f, pc, &row))
    return false;
  if (row.cfa.kind == IN_REG && row.cfa.n == RBP && !(r->known >> RBP & 1) &&
      guess_rbp(s, r->v[RSP], f.start, &r->v[RBP]))
    r->known |= 1u << RBP;
  if (!lg_cfi_cfa(&row, r, s, &cfa) || row.reg[PC].kind == UNDEFINED)
    return false;
  struct lg_regs was = *r;
  for (int i = 0; i < NREGS; i++)
    if (i != RSP)
      lg_cfi_restore(&row, i, &was, cfa, s, r, i == PC ? slot : NULL);
  if (row.reg[RSP].kind == SAME) {
    r->v[RSP] = cfa;
    r->known |= 1u << RSP;
  } else {
    lg_cfi_restore(&row, RSP, &was, cfa, s, r, NULL); /* a signal frame names the stack pointer outright */
  }
  bool plain = row.cfa.kind == IN_REG && (row.cfa.n == RSP || row.cfa.n == RBP) && row.reg[PC].kind == AT_CFA &&
               row.reg[PC].n == -8 && row.reg[RSP].kind == SAME && row.cfa_offset < INT32_MAX &&
               (row.reg[RBP].kind == SAME || (row.reg[RBP].kind == AT_CFA && row.reg[RBP].n > INT16_MIN));
  if (plain && keep) {
    struct span *span = &spans[span_turn++ % SPANS];
    *span = (struct span){row.lo, row.hi, {.pc = pc, .gen = lg_module_gen, .cfa_offset = (int32_t)row.cfa_offset,
                                           .rbp_at = row.reg[RBP].kind == SAME ? 0 : (int16_t)row.reg[RBP].n, .from_rbp = row.cfa.n == RBP}};
    *simple_place(pc) = span->row;
  }
  return r->known >> PC & 1;
}

/* step_simple leaves rbx and r12–r15 unknown; frames that need them fail and
 * the whole unwinding is done again in full. */
static bool step_simple(struct lg_regs *r, const struct lg_stack *s, const struct simple *k, uint64_t *slot)
{
  uint64_t cfa = r->v[k->from_rbp ? RBP : RSP] + (uint64_t)(int64_t)k->cfa_offset;
  *slot = cfa - 8;
  if (!lg_stack_word(s, *slot, &r->v[PC]) || (k->rbp_at && !lg_stack_word(s, cfa + (uint64_t)(int64_t)k->rbp_at, &r->v[RBP])))
    return false;
  r->v[RSP] = cfa;
  r->known &= 1u << RBP | 1u << RSP | 1u << PC;
  if (k->rbp_at)
    r->known |= 1u << RBP;
  return true;
}

/* step moves to the caller. `exact`: the pc is where execution stands, not a
 * return address. */
static bool step(struct lg_regs *r, const struct lg_stack *s, bool exact, bool full, uint64_t *slot)
{
  uint64_t pc = r->v[PC] - !exact, sp = r->v[RSP];
  const struct simple *k = full || !simples ? NULL : simple_at(pc);
  if (k && k->last)
    return false;
  if (k && (!k->from_rbp || r->known >> RBP & 1))
    return step_simple(r, s, k, slot) && r->v[RSP] > sp;
  struct lg_mapped *m = lg_module_at(pc);
  if (!m || !step_full(r, s, m, pc, slot, !full && simples))
    return false;
  return r->v[RSP] > sp;
}

/* ends_well tells whether the return address is declared undefined there. */
static bool ends_well(uint64_t pc)
{
  struct fde f;
  static struct row row; /* large; the file lock is held */
  const struct simple *k = simples ? simple_at(pc) : NULL;
  if (k && k->last)
    return true;
  struct lg_mapped *m = lg_module_at(pc);
  if (!m || !lg_cfi_find(m, pc, &f) || !lg_cfi_row(&f, pc, &row) || row.reg[PC].kind != UNDEFINED)
    return false;
  if (simples)
    *simple_place(pc) = (struct simple){.pc = pc, .gen = lg_module_gen, .last = true};
  return true;
}

/* walk collects frames until the stack ends. A return address of zero, or an
 * FDE that declares the return address undefined (_start, clone), ends it well. */
static void walk(struct lg_regs *r, const struct lg_stack *s, bool exact, bool full, struct lg_trace *out)
{
  while (out->n < LG_MAX_FRAMES) {
    uint64_t slot = 0, pc = r->v[PC];
    if (!step(r, s, exact, full, &slot)) {
      out->partial = r->v[PC] != 0 && !ends_well(pc - !exact);
      return;
    }
    exact = false;
    if (r->v[PC] == 0)
      return;
    out->slot[out->n] = slot;
    out->pc[out->n++] = r->v[PC];
  }
  out->partial = true;
}

static void prepare(void)
{
  if (!simples)
    simples = lg_pages(sizeof *simples << SIMPLE_BITS);
}

void lg_unwind(struct lg_regs *r, const struct lg_stack *s, bool in_handler, struct lg_trace *out)
{
  lg_modules_may_refresh = !in_handler;
  prepare();
  out->n = 1;
  out->partial = false;
  out->pc[0] = r->v[PC];
  out->slot[0] = 0;
  walk(r, s, true, true, out);
  lg_modules_may_refresh = true;
}

/* here reads the registers. The offsets are 8 times the numbers in dwarf.h. */
static void here(struct lg_regs *r)
{
  __asm__ volatile("mov %%rbx, 24(%0)\n\tmov %%rbp, 48(%0)\n\tmov %%rsp, 56(%0)\n\t"
                   "mov %%r12, 96(%0)\n\tmov %%r13, 104(%0)\n\tmov %%r14, 112(%0)\n\tmov %%r15, 120(%0)\n\t"
                   "lea 0f(%%rip), %%rax\n\tmov %%rax, 128(%0)\n0:"
                   : : "D"(r->v) : "rax", "memory");
  r->known = 1u << RBX | 1u << RBP | 1u << RSP | 0xfu << R12 | 1u << PC;
}

/* climb steps from inside the recorder to the wrapper whose CFA is given. */
static bool climb(struct lg_regs *r, const struct lg_stack *s, uint64_t cfa, bool full)
{
  bool exact = true;
  for (int i = 0; i < OWN_FRAMES; i++) {
    uint64_t slot;
    if (!step(r, s, exact, full, &slot))
      return false;
    exact = false;
    if (r->v[RSP] == cfa)
      return true;
  }
  return false;
}

/* A stack that is not the thread's own has no known end: it is read by way of
 * the kernel, which stops at the first page that is not there. */
static struct lg_stack foreign_stack(uint64_t sp)
{
  static unsigned char copy[FOREIGN_BYTES];
  struct iovec to = {copy, sizeof copy}, from = {(void *)sp, sizeof copy};
  ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  while (n < 0 && from.iov_len > LG_PAGE) {
    from.iov_len /= 2;
    n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  }
  return (struct lg_stack){sp, sp + (uint64_t)(n > 0 ? n : 0), copy};
}

static void try_from_here(uint64_t cfa, uint64_t stack_hi, bool full, struct lg_trace *out)
{
  struct lg_regs r;
  here(&r);
  uint64_t sp = r.v[RSP];
  struct lg_stack s = {sp, stack_hi, (const unsigned char *)sp};
  if (!stack_hi)
    s = foreign_stack(sp);
  out->n = 0;
  out->partial = true;
  if (!climb(&r, &s, cfa, full))
    return;
  out->slot[0] = cfa - 8;
  out->pc[0] = r.v[PC];
  out->n = 1;
  out->partial = false;
  walk(&r, &s, false, full, out);
}

void lg_unwind_caller(uint64_t cfa, uint64_t stack_hi, struct lg_trace *out)
{
  prepare();
  try_from_here(cfa, stack_hi, false, out);
  if (out->partial)
    try_from_here(cfa, stack_hi, true, out);
}
