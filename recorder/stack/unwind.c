#include <string.h>
#include "base/hash.h"
#include "base/pages.h"
#include "base/peek.h"
#include "format.h"
#include "stack/unwind.h"

#define GUESS_BYTES 65536   /* of a stack that are searched for a frame pointer */
#define FOREIGN_BYTES 65536 /* of a stack that is not the thread's own */
#define OWN_FRAMES 16       /* of the recorder, between here and the wrapper, at most */

/* A row of the common shape, kept so that a second unwinding through the same
 * call site costs no interpretation: CFA from the stack or frame pointer, the return
 * address at a known distance from it, the frame pointer untouched or saved likewise,
 * other registers not needed by any frame above (a frame that needs them is never simple). */
struct simple {
  uint64_t pc;
  uint32_t gen;
  int32_t cfa_offset;
  int32_t ra_at, fp_at; /* offsets from the CFA; fp_at 0: untouched */
  bool from_fp;
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

/* guess_fp looks for the frame that holds the return address of a frame-pointer
 * function whose frame pointer is not known (a thread asleep in a system call
 * shows only its stack pointer): the first stored pair (saved frame pointer, return
 * address) whose return address follows a call to this very function, or an
 * indirect call. */
static bool guess_fp(const struct lg_stack *s, uint64_t from, uint64_t function, uint64_t *fp)
{
  for (uint64_t at = (from + 7) & ~7ull; at < from + GUESS_BYTES; at += 8) {
    uint64_t ra;
    if (!lg_stack_word(s, at + 8, &ra))
      return false;
    ra = lg_code(ra);
    struct lg_mapped *m = lg_module_in_table(ra);
    if (!m || ra - m->lo < LG_CALL_BYTES || !lg_may_call(ra, function))
      continue;
    *fp = at;
    return true;
  }
  return false;
}

/* keep_row keeps a row if it is of the common shape. */
static void keep_row(const struct row *row, uint64_t pc)
{
  const struct rule *ra = &row->reg[RA], *fp = &row->reg[FP];
  bool plain = row->cfa.kind == IN_REG && (row->cfa.n == SP || row->cfa.n == FP) && row->cfa_offset < INT32_MAX &&
               ra->kind == AT_CFA && ra->n > INT32_MIN && row->reg[SP].kind == SAME &&
               (fp->kind == SAME || (fp->kind == AT_CFA && fp->n > INT32_MIN));
  if (!plain)
    return;
  struct span *span = &spans[span_turn++ % SPANS];
  *span = (struct span){row->lo, row->hi, {.pc = pc, .gen = lg_module_gen, .cfa_offset = (int32_t)row->cfa_offset,
                                           .ra_at = (int32_t)ra->n, .fp_at = fp->kind == SAME ? 0 : (int32_t)fp->n,
                                           .from_fp = row->cfa.n == FP}};
  *simple_place(pc) = span->row;
}

/* step_signal moves to what a signal interrupted; the kernel has put its registers there. */
static bool step_signal(struct lg_regs *r, const struct lg_stack *s, uint64_t registers, uint64_t *slot)
{
  for (int i = 0; i <= PC; i++) {
    *slot = registers + 8 * (uint64_t)i;
    if (!lg_stack_word(s, *slot, &r->v[i]))
      return false;
    r->known |= lg_bit(i);
  }
  return true;
}

/* step_stub moves to the caller of a piece of code that the linker made. */
static bool step_stub(struct lg_regs *r, uint64_t pc)
{
  uint64_t ra = lg_code(r->v[RA]);
  struct lg_mapped *m = r->known >> RA & 1 ? lg_module_in_table(ra) : NULL;
  if (!m || ra - m->lo < LG_CALL_BYTES || !lg_is_stub(pc, ra))
    return false;
  r->v[PC] = ra;
  return true;
}

static bool step_full(struct lg_regs *r, const struct lg_stack *s, struct lg_mapped *m, bool *exact, uint64_t *slot,
                      bool keep)
{
  struct fde f;
  static struct row row; /* large; the file lock is held */
  uint64_t cfa, pc = r->v[PC] - !*exact;
  uint64_t registers = lg_signal_registers(r->v[PC]);
  if (registers) {
    *exact = true;
    return step_signal(r, s, r->v[SP] + registers, slot);
  }
  if (!lg_cfi_find(m, pc, &f))
    return *exact && step_stub(r, pc);
  if (!lg_cfi_row(&f, pc, &row))
    return false;
  if (row.cfa.kind == IN_REG && row.cfa.n == FP && !(r->known >> FP & 1) && guess_fp(s, r->v[SP], f.start, &r->v[FP]))
    r->known |= lg_bit(FP);
  if (!lg_cfi_cfa(&row, r, s, &cfa) || row.reg[RA].kind == UNDEFINED)
    return false;
  if (row.reg[RA].kind == SAME && !*exact)
    return false; /* the call that was made there has overwritten it */
  struct lg_regs was = *r;
  for (int i = 0; i < NREGS; i++)
    if (i != SP)
      lg_cfi_restore(&row, i, &was, cfa, s, r, i == RA ? slot : NULL);
  if (row.reg[SP].kind == SAME) {
    r->v[SP] = cfa;
    r->known |= lg_bit(SP);
  } else {
    lg_cfi_restore(&row, SP, &was, cfa, s, r, NULL); /* a signal frame names the stack pointer outright */
  }
  if (keep)
    keep_row(&row, pc);
  r->v[PC] = lg_code(r->v[RA]);
  *exact = f.signal_frame;
  return r->known >> RA & 1;
}

/* step_simple leaves the other registers unknown; frames that need them fail and
 * the whole unwinding is done again in full. */
static bool step_simple(struct lg_regs *r, const struct lg_stack *s, const struct simple *k, uint64_t *slot)
{
  uint64_t cfa = r->v[k->from_fp ? FP : SP] + (uint64_t)(int64_t)k->cfa_offset, ra;
  *slot = cfa + (uint64_t)(int64_t)k->ra_at;
  if (!lg_stack_word(s, *slot, &ra) || (k->fp_at && !lg_stack_word(s, cfa + (uint64_t)(int64_t)k->fp_at, &r->v[FP])))
    return false;
  r->v[PC] = lg_code(ra);
  r->v[SP] = cfa;
  r->known &= lg_bit(FP) | lg_bit(SP) | lg_bit(PC) | LG_STANDING;
  if (k->fp_at)
    r->known |= lg_bit(FP);
  return true;
}

/* step moves to the caller. `exact`: the pc is where execution stands, not a
 * return address. */
static bool step(struct lg_regs *r, const struct lg_stack *s, bool *exact, bool full, uint64_t *slot)
{
  uint64_t pc = r->v[PC] - !*exact, sp = r->v[SP];
  const struct simple *k = full || !simples ? NULL : simple_at(pc);
  if (k && k->last)
    return false;
  if (k && (!k->from_fp || r->known >> FP & 1)) {
    *exact = false;
    return step_simple(r, s, k, slot) && r->v[SP] > sp;
  }
  bool leaf = *exact; /* it may have no frame */
  struct lg_mapped *m = lg_module_at(pc);
  if (!m || !step_full(r, s, m, exact, slot, !full && simples))
    return false;
  return r->v[SP] > sp || (leaf && r->v[SP] == sp);
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
  if (!m || !lg_cfi_find(m, pc, &f) || !lg_cfi_row(&f, pc, &row) || row.reg[RA].kind != UNDEFINED)
    return false;
  if (simples)
    *simple_place(pc) = (struct simple){.pc = pc, .gen = lg_module_gen, .last = true};
  return true;
}

static void add(struct lg_trace *out, const struct lg_regs *r, uint64_t slot)
{
  out->slot[out->n] = slot;
  out->sp[out->n] = r->v[SP];
  out->pc[out->n++] = r->v[PC];
}

/* walk collects frames until the stack ends. A return address of zero, or an
 * FDE that declares the return address undefined (_start, clone), ends it well. */
static void walk(struct lg_regs *r, const struct lg_stack *s, bool exact, bool full, struct lg_trace *out)
{
  while (out->n < LG_MAX_FRAMES) {
    uint64_t slot = 0, pc = r->v[PC] - !exact;
    if (!step(r, s, &exact, full, &slot)) {
      out->partial = r->v[PC] != 0 && !ends_well(pc);
      return;
    }
    if (r->v[PC] == 0)
      return;
    add(out, r, slot);
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
  out->n = 0;
  out->partial = false;
  r->known |= lg_standing(r->v);
  add(out, r, 0);
  walk(r, s, true, true, out);
  lg_modules_may_refresh = true;
}

/* climb steps from inside the recorder to the caller of the wrapper with that LG_CFA. */
static bool climb(struct lg_regs *r, const struct lg_stack *s, uint64_t cfa, bool full)
{
  bool exact = true;
  for (int i = 0; i < OWN_FRAMES; i++) {
    uint64_t slot = 0;
    if (!step(r, s, &exact, full, &slot))
      return false;
    if (slot == cfa - 8)
      return true;
  }
  return false;
}

/* A stack that is not the thread's own has no known end: it is read by way of
 * the kernel, which stops at the first page that is not there. */
static struct lg_stack foreign_stack(uint64_t sp)
{
  static unsigned char copy[FOREIGN_BYTES];
  return (struct lg_stack){sp, sp + lg_peek(sp, copy, sizeof copy), copy};
}

static void try_from_here(uint64_t cfa, uint64_t stack_hi, bool full, struct lg_trace *out)
{
  struct lg_regs r;
  LG_HERE(r.v);
  r.known = LG_HERE_KNOWN | lg_standing(r.v);
  uint64_t sp = r.v[SP];
  struct lg_stack s = {sp, stack_hi, (const unsigned char *)sp};
  if (!stack_hi)
    s = foreign_stack(sp);
  out->n = 0;
  out->partial = true;
  if (!climb(&r, &s, cfa, full))
    return;
  add(out, &r, cfa - 8);
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
