/* Reading .eh_frame: the row of rules that holds at an address, and what they
 * make of the registers. Nothing outside the stack is read. */
#define _GNU_SOURCE
#include <string.h>
#include "stack/cfi.h"

#define EXPRESSION_DEPTH 16
#define SMALLEST_CIE 9 /* bytes: id, version, an empty augmentation, three numbers */
#define HDR_VERSION 1  /* of .eh_frame_hdr */
#define REMEMBERED 4 /* rows that DW_CFA_remember_state may keep */

bool lg_stack_word(const struct lg_stack *s, uint64_t at, uint64_t *out)
{
  if (at < s->lo || at > s->hi || s->hi - at < 8)
    return false;
  memcpy(out, s->data + (at - s->lo), 8);
  return true;
}

static uint64_t uleb(const unsigned char **p, const unsigned char *end)
{
  uint64_t v = 0;
  for (unsigned shift = 0; *p < end; shift += 7) {
    unsigned char b = *(*p)++;
    if (shift < 64)
      v |= (uint64_t)(b & 0x7f) << shift;
    if (!(b & 0x80))
      break;
  }
  return v;
}

static int64_t sleb(const unsigned char **p, const unsigned char *end)
{
  uint64_t v = 0;
  unsigned shift = 0;
  unsigned char b = 0;
  while (*p < end) {
    b = *(*p)++;
    if (shift < 64)
      v |= (uint64_t)(b & 0x7f) << shift;
    shift += 7;
    if (!(b & 0x80))
      break;
  }
  if (shift < 64 && b & 0x40)
    v |= ~0ull << shift;
  return (int64_t)v;
}

static uint64_t fixed(const unsigned char **p, const unsigned char *end, int n)
{
  uint64_t v = 0;
  if (end - *p < n) {
    *p = end;
    return 0;
  }
  memcpy(&v, *p, (size_t)n);
  *p += n;
  return v;
}

/* encoded reads a pointer in one of the DW_EH_PE forms. */
static uint64_t encoded(const unsigned char **p, const unsigned char *end, unsigned char form, uint64_t data_base)
{
  if (form == DW_EH_PE_omit)
    return 0;
  uint64_t at = (uint64_t)*p, v;
  switch (form & DW_EH_PE_written) {
  case DW_EH_PE_absptr: case DW_EH_PE_udata8: case DW_EH_PE_sdata8: v = fixed(p, end, 8); break;
  case DW_EH_PE_uleb128: v = uleb(p, end); break;
  case DW_EH_PE_udata2: v = fixed(p, end, 2); break;
  case DW_EH_PE_udata4: v = fixed(p, end, 4); break;
  case DW_EH_PE_sleb128: v = (uint64_t)sleb(p, end); break;
  case DW_EH_PE_sdata2: v = (uint64_t)(int16_t)fixed(p, end, 2); break;
  case DW_EH_PE_sdata4: v = (uint64_t)(int32_t)fixed(p, end, 4); break;
  default: *p = end; return 0;
  }
  if ((form & DW_EH_PE_added) == DW_EH_PE_pcrel)
    v += at;
  else if ((form & DW_EH_PE_added) == DW_EH_PE_datarel)
    v += data_base;
  if (form & DW_EH_PE_indirect)
    v = 0; /* only personality routines, whose value is not used */
  return v;
}

static bool parse_cie(const unsigned char *p, struct fde *f, unsigned char *enc)
{
  const unsigned char *q = p;
  uint32_t len = (uint32_t)fixed(&q, q + 4, 4);
  if (len == DW_LENGTH_64 || len < SMALLEST_CIE)
    return false;
  const unsigned char *end = q + len;
  q += 4;
  unsigned char version = *q++;
  const char *aug = (const char *)q;
  q += strlen(aug) + 1;
  if (version == 4)
    q += 2;
  f->code_align = uleb(&q, end);
  f->data_align = sleb(&q, end);
  if (version == 1)
    q++;
  else
    uleb(&q, end);
  *enc = 0;
  if (*aug == 'z') {
    uint64_t n = uleb(&q, end);
    const unsigned char *ins = q + n;
    for (aug++; *aug; aug++) {
      if (*aug == 'R')
        *enc = *q++;
      else if (*aug == 'L')
        q++;
      else if (*aug == 'P') {
        unsigned char form = *q++;
        encoded(&q, end, form, 0);
      } else if (*aug == 'S')
        f->signal_frame = true;
      else if (*aug != 'B' && *aug != 'G') /* which key signs return addresses; tagged memory */
        break;
    }
    q = ins;
  } else if (*aug) {
    return false;
  }
  f->cie_ins = q;
  f->cie_end = end;
  return q <= end;
}

static bool parse_fde(const unsigned char *p, struct fde *f)
{
  const unsigned char *q = p;
  uint32_t len = (uint32_t)fixed(&q, q + 4, 4);
  if (len == 0 || len == DW_LENGTH_64)
    return false;
  const unsigned char *end = q + len, *id = q;
  uint32_t back = (uint32_t)fixed(&q, end, 4);
  unsigned char enc;
  *f = (struct fde){0};
  if (!parse_cie(id - back, f, &enc))
    return false;
  f->start = encoded(&q, end, enc, 0);
  f->length = encoded(&q, end, enc & DW_EH_PE_written, 0);
  uint64_t aug = uleb(&q, end);
  f->ins = q + aug;
  f->ins_end = end;
  return f->ins <= end;
}

/* lg_cfi_find searches the sorted table of .eh_frame_hdr (LSB §10.6.2). */
bool lg_cfi_find(const struct lg_mapped *m, uint64_t pc, struct fde *f)
{
  const unsigned char *h = m->eh_hdr, *p = h + 4, *end = h + 32;
  if (!h || h[0] != HDR_VERSION || h[2] != DW_EH_PE_udata4 || h[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
    return false;
  encoded(&p, end, h[1], (uint64_t)h);
  uint32_t n = (uint32_t)fixed(&p, end, 4);
  const int32_t *table = (const int32_t *)p;
  int64_t want = (int64_t)(pc - (uint64_t)h);
  uint32_t lo = 0, hi = n;
  while (hi - lo > 1) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (table[2 * mid] <= want)
      lo = mid;
    else
      hi = mid;
  }
  if (n == 0 || table[2 * lo] > want || !parse_fde(h + table[2 * lo + 1], f))
    return false;
  return pc - f->start < f->length;
}

static void set_rule(struct row *r, uint64_t reg, uint8_t kind, int64_t n)
{
  if (reg < NREGS)
    r->reg[reg] = (struct rule){.kind = kind, .n = n};
}

static void set_expr(struct rule *r, uint8_t kind, const unsigned char **p, const unsigned char *end)
{
  uint64_t n = uleb(p, end);
  if (n > (uint64_t)(end - *p))
    n = (uint64_t)(end - *p);
  *r = (struct rule){.kind = kind, .expr = *p, .expr_end = *p + n};
  *p += n;
}

struct cfi { /* what the instructions of one FDE work on */
  const struct fde *f;
  struct row row, initial, saved[REMEMBERED];
  int nsaved;
  uint64_t loc;
};

/* extended runs the instructions that have no operand in their first byte. */
static bool extended(struct cfi *s, unsigned char op, const unsigned char **p, const unsigned char *end)
{
  struct row *r = &s->row;
  int64_t da = s->f->data_align;
  uint64_t reg;
  switch (op) {
  case DW_CFA_nop: return true;
  case DW_CFA_set_loc: s->loc = encoded(p, end, DW_EH_PE_pcrel | DW_EH_PE_sdata4, 0); return true; /* the usual form */
  case DW_CFA_advance_loc1: s->loc += fixed(p, end, 1) * s->f->code_align; return true;
  case DW_CFA_advance_loc2: s->loc += fixed(p, end, 2) * s->f->code_align; return true;
  case DW_CFA_advance_loc4: s->loc += fixed(p, end, 4) * s->f->code_align; return true;
  case DW_CFA_offset_extended:
    reg = uleb(p, end);
    set_rule(r, reg, AT_CFA, (int64_t)uleb(p, end) * da);
    return true;
  case DW_CFA_restore_extended:
    reg = uleb(p, end);
    if (reg < NREGS) r->reg[reg] = s->initial.reg[reg];
    return true;
  case DW_CFA_undefined: set_rule(r, uleb(p, end), UNDEFINED, 0); return true;
  case DW_CFA_same_value: set_rule(r, uleb(p, end), SAME, 0); return true;
  case DW_CFA_register: reg = uleb(p, end); set_rule(r, reg, IN_REG, (int64_t)uleb(p, end)); return true;
  case DW_CFA_remember_state:
    if (s->nsaved == REMEMBERED)
      return false;
    s->saved[s->nsaved++] = *r;
    return true;
  case DW_CFA_restore_state:
    if (s->nsaved == 0)
      return false;
    *r = s->saved[--s->nsaved];
    return true;
  case DW_CFA_def_cfa:
    r->cfa = (struct rule){.kind = IN_REG, .n = (int64_t)uleb(p, end)};
    r->cfa_offset = (int64_t)uleb(p, end);
    return true;
  case DW_CFA_def_cfa_register: r->cfa.kind = IN_REG; r->cfa.n = (int64_t)uleb(p, end); return true;
  case DW_CFA_def_cfa_offset: r->cfa_offset = (int64_t)uleb(p, end); return true;
  case DW_CFA_def_cfa_expression: set_expr(&r->cfa, IS_EXPR, p, end); return true;
  case DW_CFA_expression: case DW_CFA_val_expression: {
    struct rule x;
    reg = uleb(p, end);
    set_expr(&x, op == DW_CFA_expression ? AT_EXPR : IS_EXPR, p, end);
    if (reg < NREGS)
      r->reg[reg] = x;
    return true;
  }
  case DW_CFA_offset_extended_sf: reg = uleb(p, end); set_rule(r, reg, AT_CFA, sleb(p, end) * da); return true;
  case DW_CFA_def_cfa_sf:
    r->cfa = (struct rule){.kind = IN_REG, .n = (int64_t)uleb(p, end)};
    r->cfa_offset = sleb(p, end) * da;
    return true;
  case DW_CFA_def_cfa_offset_sf: r->cfa_offset = sleb(p, end) * da; return true;
  case DW_CFA_val_offset:
    reg = uleb(p, end);
    set_rule(r, reg, CFA_PLUS, (int64_t)uleb(p, end) * da);
    return true;
  case DW_CFA_val_offset_sf: reg = uleb(p, end); set_rule(r, reg, CFA_PLUS, sleb(p, end) * da); return true;
  case DW_CFA_GNU_args_size: uleb(p, end); return true;
  case DW_CFA_AARCH64_negate_ra_state_with_pc: case DW_CFA_AARCH64_negate_ra_state:
    return true; /* an address that is not signed looks the same (lg_code) */
  default: return false;
  }
}

static bool run_cfi(struct cfi *s, const unsigned char *p, const unsigned char *end, uint64_t pc)
{
  while (p < end && s->loc <= pc) {
    s->row.lo = s->loc;
    unsigned char op = *p++;
    unsigned char low = op & 0x3f;
    switch (op >> 6) {
    case DW_CFA_advance_loc: s->loc += low * s->f->code_align; break;
    case DW_CFA_offset: set_rule(&s->row, low, AT_CFA, (int64_t)uleb(&p, end) * s->f->data_align); break;
    case DW_CFA_restore: if (low < NREGS) s->row.reg[low] = s->initial.reg[low]; break;
    default:
      if (!extended(s, op, &p, end))
        return false;
    }
  }
  return true;
}

bool lg_cfi_row(const struct fde *f, uint64_t pc, struct row *out)
{
  static struct cfi s; /* large; the file lock is held */
  memset(&s, 0, sizeof s);
  s.f = f;
  s.loc = f->start;
  s.row.reg[SP].kind = SAME;
  if (!run_cfi(&s, f->cie_ins, f->cie_end, UINT64_MAX - 1))
    return false;
  s.initial = s.row;
  s.loc = f->start;
  if (!run_cfi(&s, f->ins, f->ins_end, pc))
    return false;
  bool passed = s.loc > pc; /* by the step that ended the row */
  *out = s.row;
  out->lo = passed ? s.row.lo : s.loc;
  out->hi = passed ? s.loc : f->start + f->length;
  return true;
}

/* evaluate runs the few DWARF operations that occur in call frame information. */
static bool evaluate(const struct rule *r, const struct lg_regs *regs, const struct lg_stack *stack, bool push_cfa,
                     uint64_t cfa, uint64_t *out)
{
  uint64_t st[EXPRESSION_DEPTH];
  int n = 0;
  const unsigned char *p = r->expr, *end = r->expr_end;
  if (push_cfa)
    st[n++] = cfa;
  while (p < end) {
    unsigned char op = *p++;
    if (n > EXPRESSION_DEPTH - 2)
      return false;
    if ((op >= DW_OP_breg0 && op <= DW_OP_breg31) || op == DW_OP_bregx) {
      uint64_t reg = op == DW_OP_bregx ? uleb(&p, end) : (uint64_t)op - DW_OP_breg0;
      int64_t off = sleb(&p, end);
      if (reg >= NREGS || !(regs->known >> reg & 1))
        return false;
      st[n++] = regs->v[reg] + (uint64_t)off;
    } else if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
      st[n++] = (uint64_t)op - DW_OP_lit0;
    } else if (op == DW_OP_deref) {
      if (n < 1 || !lg_stack_word(stack, st[n - 1], &st[n - 1]))
        return false;
    } else if (op == DW_OP_const1u || op == DW_OP_const2u || op == DW_OP_const4u) {
      st[n++] = fixed(&p, end, op == DW_OP_const1u ? 1 : op == DW_OP_const2u ? 2 : 4);
    } else if (op == DW_OP_const1s) {
      st[n++] = (uint64_t)(int8_t)fixed(&p, end, 1);
    } else if (op == DW_OP_constu) {
      st[n++] = uleb(&p, end);
    } else if (op == DW_OP_consts) {
      st[n++] = (uint64_t)sleb(&p, end);
    } else if (op == DW_OP_plus_uconst) {
      if (n < 1)
        return false;
      st[n - 1] += uleb(&p, end);
    } else if (n >= 2) {
      uint64_t b = st[--n], a = st[n - 1];
      switch (op) {
      case DW_OP_and: st[n - 1] = a & b; break;
      case DW_OP_minus: st[n - 1] = a - b; break;
      case DW_OP_mul: st[n - 1] = a * b; break;
      case DW_OP_plus: st[n - 1] = a + b; break;
      case DW_OP_shl: st[n - 1] = b < 64 ? a << b : 0; break;
      case DW_OP_ge: st[n - 1] = (int64_t)a >= (int64_t)b; break;
      default: return false;
      }
    } else {
      return false;
    }
  }
  if (n == 0)
    return false;
  *out = st[n - 1];
  return true;
}

bool lg_cfi_cfa(const struct row *row, const struct lg_regs *r, const struct lg_stack *s, uint64_t *cfa)
{
  if (row->cfa.kind == IS_EXPR)
    return evaluate(&row->cfa, r, s, false, 0, cfa);
  if (row->cfa.kind != IN_REG || row->cfa.n < 0 || row->cfa.n >= NREGS || !(r->known >> row->cfa.n & 1))
    return false;
  *cfa = r->v[row->cfa.n] + (uint64_t)row->cfa_offset;
  return true;
}

void lg_cfi_restore(const struct row *row, int i, const struct lg_regs *was, uint64_t cfa, const struct lg_stack *s,
                    struct lg_regs *now, uint64_t *slot)
{
  const struct rule *r = &row->reg[i];
  uint64_t v = 0, at = 0;
  bool ok = false;
  switch (r->kind) {
  case SAME: v = was->v[i]; ok = was->known >> i & 1; break;
  case AT_CFA: at = cfa + (uint64_t)r->n; ok = lg_stack_word(s, at, &v); break;
  case CFA_PLUS: v = cfa + (uint64_t)r->n; ok = true; break;
  case IN_REG: if (r->n >= 0 && r->n < NREGS) { v = was->v[r->n]; ok = was->known >> r->n & 1; } break;
  case AT_EXPR: ok = evaluate(r, was, s, true, cfa, &at) && lg_stack_word(s, at, &v); break;
  case IS_EXPR: ok = evaluate(r, was, s, true, cfa, &v); break;
  default: break;
  }
  now->v[i] = v;
  now->known = ok ? now->known | lg_bit(i) : now->known & ~lg_bit(i);
  if (slot)
    *slot = at;
}
