/* Modules and unwinding by .eh_frame (System V ABI for x86-64, DWARF 4 §6.4).
 * Our own, because it must run in a signal handler and over another thread's
 * stack, must never fault on a damaged stack, and must tell where on the stack
 * each return address stands. */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "core.h"

#if !defined(__x86_64__)
#error "the unwinder knows x86-64 only"
#endif

enum { RBP = 6, RSP = 7, PC = 16, NREGS = 17 };

/* ---- modules ---- */

struct module {
  uint64_t lo, hi, bias; /* executable addresses; what to add to a file address */
  const unsigned char *eh_hdr;
  uint64_t image_lo, image_hi;
  const unsigned char *build_id;
  uint32_t build_id_len;
  const char *path;
  uint32_t index; /* of its record, LG_NO_MODULE before one is written */
};

static struct module *modules;
static uint32_t nmodules, room;
uint32_t lg_module_gen, lg_unload_gen;
int lg_unloading;

struct known { /* modules that have a record already */
  uint64_t bias, image_hi;
  uint64_t id; /* hash of build-id and path */
};
static struct known *known;
static uint32_t nknown, known_room;

static void find_build_id(struct module *m, const ElfW(Phdr) *ph)
{
  const unsigned char *p = (const unsigned char *)(m->bias + ph->p_vaddr), *end = p + ph->p_memsz;
  while (p + sizeof(ElfW(Nhdr)) <= end) {
    const ElfW(Nhdr) *n = (const void *)p;
    const unsigned char *desc = p + sizeof *n + ((n->n_namesz + 3) & ~3u);
    if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && desc + n->n_descsz <= end && n->n_descsz <= 64) {
      m->build_id = desc;
      m->build_id_len = n->n_descsz;
      return;
    }
    p = desc + ((n->n_descsz + 3) & ~3u);
  }
}

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size, (void)unused;
  if (nmodules == room) {
    uint32_t more = room ? room * 2 : 64;
    struct module *p = realloc(modules, more * sizeof *p);
    if (!p)
      return 1;
    modules = p;
    room = more;
  }
  struct module m = {.lo = UINT64_MAX, .bias = info->dlpi_addr, .path = info->dlpi_name, .image_lo = UINT64_MAX, .index = LG_NO_MODULE};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    uint64_t lo = info->dlpi_addr + ph->p_vaddr, hi = lo + ph->p_memsz;
    if (ph->p_type == PT_LOAD) {
      m.image_lo = lo < m.image_lo ? lo : m.image_lo;
      m.image_hi = hi > m.image_hi ? hi : m.image_hi;
      if (ph->p_flags & PF_X) {
        m.lo = lo < m.lo ? lo : m.lo;
        m.hi = hi > m.hi ? hi : m.hi;
      }
    } else if (ph->p_type == PT_GNU_EH_FRAME) {
      m.eh_hdr = (const unsigned char *)lo;
    } else if (ph->p_type == PT_NOTE && !m.build_id) {
      find_build_id(&m, ph);
    }
  }
  if (m.hi)
    modules[nmodules++] = m;
  return 0;
}

static int by_address(const void *a, const void *b)
{
  const struct module *x = a, *y = b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void lg_modules_refresh(void)
{
  nmodules = 0;
  dl_iterate_phdr(add_module, NULL);
  qsort(modules, nmodules, sizeof *modules, by_address);
  lg_module_gen++;
}

static struct module *module_in_table(uint64_t pc)
{
  uint32_t lo = 0, hi = nmodules;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (pc >= modules[mid].hi)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < nmodules && pc >= modules[lo].lo ? &modules[lo] : NULL;
}

static bool may_refresh = true; /* not in a signal handler: the loader's lock may be held */

static int loader_state(struct dl_phdr_info *info, size_t size, void *state)
{
  (void)size;
  *(uint64_t *)state = (uint64_t)info->dlpi_adds << 32 | (uint32_t)info->dlpi_subs;
  return 1;
}

void lg_modules_current(void)
{
  static uint64_t seen;
  uint64_t now = 0;
  dl_iterate_phdr(loader_state, &now);
  if (now == seen)
    return;
  seen = now;
  lg_modules_refresh();
}

void lg_modules_unloading(bool begins)
{
  lg_lock_file();
  lg_unloading += begins ? 1 : -1;
  if (!begins) {
    lg_unload_gen++;
    lg_modules_current();
  }
  lg_unlock_file();
}

static struct module *module_at(uint64_t pc)
{
  struct module *m = module_in_table(pc);
  if (m || !may_refresh || pc < 4096)
    return m;
  lg_modules_current();
  return module_in_table(pc);
}

bool lg_is_code(uint64_t pc)
{
  return module_in_table(pc) != NULL;
}

static const char *path_of(const struct module *m, char *buffer, size_t n)
{
  if (m->path && *m->path)
    return m->path;
  ssize_t got = readlink("/proc/self/exe", buffer, n - 1);
  buffer[got < 0 ? 0 : got] = 0;
  return buffer;
}

static uint64_t identity(const struct module *m, const char *path)
{
  uint64_t h = 14695981039346656037ull;
  for (uint32_t i = 0; i < m->build_id_len; i++)
    h = (h ^ m->build_id[i]) * 1099511628211ull;
  for (; *path; path++)
    h = (h ^ (unsigned char)*path) * 1099511628211ull;
  return h;
}

static uint32_t module_record(const struct module *m, const char *path)
{
  uint32_t len = (uint32_t)strlen(path);
  if (len > 4000)
    len = 4000;
  uint32_t fixed = ((uint32_t)(sizeof(struct lg_module) - sizeof(struct lg_rec)) + m->build_id_len + len + 7) & ~7u;
  struct lg_module *r = lg_rec_begin(LG_REC_MODULE, 0, fixed, (uint32_t)sizeof(struct lg_rec) + fixed);
  if (!r)
    return LG_NO_MODULE;
  r->index = nknown;
  r->buildid_len = (uint16_t)m->build_id_len;
  r->path_len = (uint16_t)len;
  r->base = m->bias;
  r->size = m->image_hi - m->image_lo;
  memcpy(r + 1, m->build_id, m->build_id_len);
  memcpy((char *)(r + 1) + m->build_id_len, path, len);
  lg_rec_commit(r);
  return nknown;
}

/* index_of gives the record of a module, written when it is first seen; after a
 * dlclose and dlopen the same library keeps its record. */
static uint32_t index_of(struct module *m)
{
  if (m->index != LG_NO_MODULE)
    return m->index;
  char buffer[4096];
  const char *path = path_of(m, buffer, sizeof buffer);
  struct known k = {m->bias, m->image_hi, identity(m, path)};
  for (uint32_t i = 0; i < nknown; i++)
    if (memcmp(&known[i], &k, sizeof k) == 0)
      return m->index = i;
  if (nknown == known_room) {
    uint32_t more = known_room ? known_room * 2 : 64;
    struct known *p = realloc(known, more * sizeof *p);
    if (!p)
      return LG_NO_MODULE;
    known = p;
    known_room = more;
  }
  if (nknown >= LG_NO_MODULE || module_record(m, path) == LG_NO_MODULE)
    return LG_NO_MODULE;
  known[nknown] = k;
  return m->index = nknown++;
}

uint64_t lg_frame_word(uint64_t pc)
{
  struct module *m = module_at(pc);
  uint32_t index = m ? index_of(m) : LG_NO_MODULE;
  if (index == LG_NO_MODULE)
    return (uint64_t)LG_NO_MODULE << 48 | (pc & 0xffffffffffffull);
  return (uint64_t)index << 48 | ((pc - m->bias) & 0xffffffffffffull);
}

/* ---- reading ---- */

static bool peek(const struct lg_stack *s, uint64_t at, uint64_t *out)
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
  if (form == 0xff)
    return 0;
  uint64_t at = (uint64_t)*p, v;
  switch (form & 0x0f) {
  case 0x00: case 0x04: case 0x0c: v = fixed(p, end, 8); break;
  case 0x01: v = uleb(p, end); break;
  case 0x02: v = fixed(p, end, 2); break;
  case 0x03: v = fixed(p, end, 4); break;
  case 0x09: v = (uint64_t)sleb(p, end); break;
  case 0x0a: v = (uint64_t)(int16_t)fixed(p, end, 2); break;
  case 0x0b: v = (uint64_t)(int32_t)fixed(p, end, 4); break;
  default: *p = end; return 0;
  }
  if ((form & 0x70) == 0x10)
    v += at;
  else if ((form & 0x70) == 0x30)
    v += data_base;
  if (form & 0x80)
    v = 0; /* indirect: personality routines only, whose value is not used */
  return v;
}

/* ---- call frame information ---- */

enum rule_kind { SAME, UNDEFINED, AT_CFA, CFA_PLUS, IN_REG, AT_EXPR, IS_EXPR };

struct rule {
  uint8_t kind;
  int64_t n; /* offset or register */
  const unsigned char *expr, *expr_end;
};

struct row {
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

static bool parse_cie(const unsigned char *p, struct fde *f, unsigned char *enc)
{
  const unsigned char *q = p;
  uint32_t len = (uint32_t)fixed(&q, q + 4, 4);
  if (len == 0xffffffffu || len < 9)
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
      else
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
  if (len == 0 || len == 0xffffffffu)
    return false;
  const unsigned char *end = q + len, *id = q;
  uint32_t back = (uint32_t)fixed(&q, end, 4);
  unsigned char enc;
  *f = (struct fde){0};
  if (!parse_cie(id - back, f, &enc))
    return false;
  f->start = encoded(&q, end, enc, 0);
  f->length = encoded(&q, end, enc & 0x0f, 0);
  uint64_t aug = uleb(&q, end);
  f->ins = q + aug;
  f->ins_end = end;
  return f->ins <= end;
}

/* find_fde searches the sorted table of .eh_frame_hdr (LSB §10.6.2). */
static bool find_fde(const struct module *m, uint64_t pc, struct fde *f)
{
  const unsigned char *h = m->eh_hdr, *p = h + 4, *end = h + 32;
  if (!h || h[0] != 1 || h[2] != 0x03 || h[3] != 0x3b)
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
  struct row row, initial, saved[4];
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
  case 0x00: return true;
  case 0x01: s->loc = encoded(p, end, 0x1b, 0); return true; /* only with the usual encoding */
  case 0x02: s->loc += fixed(p, end, 1) * s->f->code_align; return true;
  case 0x03: s->loc += fixed(p, end, 2) * s->f->code_align; return true;
  case 0x04: s->loc += fixed(p, end, 4) * s->f->code_align; return true;
  case 0x05: reg = uleb(p, end); set_rule(r, reg, AT_CFA, (int64_t)uleb(p, end) * da); return true;
  case 0x06: reg = uleb(p, end); if (reg < NREGS) r->reg[reg] = s->initial.reg[reg]; return true;
  case 0x07: set_rule(r, uleb(p, end), UNDEFINED, 0); return true;
  case 0x08: set_rule(r, uleb(p, end), SAME, 0); return true;
  case 0x09: reg = uleb(p, end); set_rule(r, reg, IN_REG, (int64_t)uleb(p, end)); return true;
  case 0x0a:
    if (s->nsaved == 4)
      return false;
    s->saved[s->nsaved++] = *r;
    return true;
  case 0x0b:
    if (s->nsaved == 0)
      return false;
    *r = s->saved[--s->nsaved];
    return true;
  case 0x0c: r->cfa = (struct rule){.kind = IN_REG, .n = (int64_t)uleb(p, end)}; r->cfa_offset = (int64_t)uleb(p, end); return true;
  case 0x0d: r->cfa.kind = IN_REG; r->cfa.n = (int64_t)uleb(p, end); return true;
  case 0x0e: r->cfa_offset = (int64_t)uleb(p, end); return true;
  case 0x0f: set_expr(&r->cfa, IS_EXPR, p, end); return true;
  case 0x10: case 0x16: {
    struct rule x;
    reg = uleb(p, end);
    set_expr(&x, op == 0x10 ? AT_EXPR : IS_EXPR, p, end);
    if (reg < NREGS)
      r->reg[reg] = x;
    return true;
  }
  case 0x11: reg = uleb(p, end); set_rule(r, reg, AT_CFA, sleb(p, end) * da); return true;
  case 0x12: r->cfa = (struct rule){.kind = IN_REG, .n = (int64_t)uleb(p, end)}; r->cfa_offset = sleb(p, end) * da; return true;
  case 0x13: r->cfa_offset = sleb(p, end) * da; return true;
  case 0x14: reg = uleb(p, end); set_rule(r, reg, CFA_PLUS, (int64_t)uleb(p, end) * da); return true;
  case 0x15: reg = uleb(p, end); set_rule(r, reg, CFA_PLUS, sleb(p, end) * da); return true;
  case 0x2e: uleb(p, end); return true; /* DW_CFA_GNU_args_size */
  default: return false;
  }
}

static bool run_cfi(struct cfi *s, const unsigned char *p, const unsigned char *end, uint64_t pc)
{
  while (p < end && s->loc <= pc) {
    unsigned char op = *p++;
    unsigned char low = op & 0x3f;
    switch (op >> 6) {
    case 1: s->loc += low * s->f->code_align; break;
    case 2: set_rule(&s->row, low, AT_CFA, (int64_t)uleb(&p, end) * s->f->data_align); break;
    case 3: if (low < NREGS) s->row.reg[low] = s->initial.reg[low]; break;
    default:
      if (!extended(s, op, &p, end))
        return false;
    }
  }
  return true;
}

static bool row_at(const struct fde *f, uint64_t pc, struct row *out)
{
  static struct cfi s; /* large; the file lock is held */
  memset(&s, 0, sizeof s);
  s.f = f;
  s.loc = f->start;
  s.row.reg[RSP].kind = SAME;
  if (!run_cfi(&s, f->cie_ins, f->cie_end, UINT64_MAX - 1))
    return false;
  s.initial = s.row;
  s.loc = f->start;
  if (!run_cfi(&s, f->ins, f->ins_end, pc))
    return false;
  *out = s.row;
  return true;
}

/* evaluate runs the few DWARF operations that occur in call frame information. */
static bool evaluate(const struct rule *r, const struct lg_regs *regs, const struct lg_stack *stack, bool push_cfa, uint64_t cfa, uint64_t *out)
{
  uint64_t st[16];
  int n = 0;
  const unsigned char *p = r->expr, *end = r->expr_end;
  if (push_cfa)
    st[n++] = cfa;
  while (p < end) {
    unsigned char op = *p++;
    if (n > 14)
      return false;
    if (op >= 0x70 && op <= 0x8f) { /* DW_OP_breg0 … */
      unsigned reg = op - 0x70u;
      int64_t off = sleb(&p, end);
      if (reg >= NREGS || !(regs->known >> reg & 1))
        return false;
      st[n++] = regs->v[reg] + (uint64_t)off;
    } else if (op >= 0x30 && op <= 0x4f) { /* DW_OP_lit0 … */
      st[n++] = op - 0x30u;
    } else if (op == 0x06) { /* DW_OP_deref */
      if (n < 1 || !peek(stack, st[n - 1], &st[n - 1]))
        return false;
    } else if (op == 0x08 || op == 0x0a || op == 0x0c) {
      st[n++] = fixed(&p, end, op == 0x08 ? 1 : op == 0x0a ? 2 : 4);
    } else if (op == 0x09) {
      st[n++] = (uint64_t)(int8_t)fixed(&p, end, 1);
    } else if (op == 0x10) {
      st[n++] = uleb(&p, end);
    } else if (op == 0x11) {
      st[n++] = (uint64_t)sleb(&p, end);
    } else if (op == 0x23) { /* DW_OP_plus_uconst */
      if (n < 1)
        return false;
      st[n - 1] += uleb(&p, end);
    } else if (n >= 2) {
      uint64_t b = st[--n], a = st[n - 1];
      switch (op) {
      case 0x1a: st[n - 1] = a & b; break;
      case 0x1c: st[n - 1] = a - b; break;
      case 0x22: st[n - 1] = a + b; break;
      case 0x24: st[n - 1] = b < 64 ? a << b : 0; break;
      case 0x2a: st[n - 1] = (int64_t)a >= (int64_t)b; break;
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

static bool find_cfa(const struct row *row, const struct lg_regs *r, const struct lg_stack *s, uint64_t *cfa)
{
  if (row->cfa.kind == IS_EXPR)
    return evaluate(&row->cfa, r, s, false, 0, cfa);
  if (row->cfa.kind != IN_REG || row->cfa.n < 0 || row->cfa.n >= NREGS || !(r->known >> row->cfa.n & 1))
    return false;
  *cfa = r->v[row->cfa.n] + (uint64_t)row->cfa_offset;
  return true;
}

static void restore(const struct row *row, int i, const struct lg_regs *was, uint64_t cfa, const struct lg_stack *s, struct lg_regs *now, uint64_t *slot)
{
  const struct rule *r = &row->reg[i];
  uint64_t v = 0, at = 0;
  bool ok = false;
  switch (r->kind) {
  case SAME: v = was->v[i]; ok = was->known >> i & 1; break;
  case AT_CFA: at = cfa + (uint64_t)r->n; ok = peek(s, at, &v); break;
  case CFA_PLUS: v = cfa + (uint64_t)r->n; ok = true; break;
  case IN_REG: if (r->n >= 0 && r->n < NREGS) { v = was->v[r->n]; ok = was->known >> r->n & 1; } break;
  case AT_EXPR: ok = evaluate(r, was, s, true, cfa, &at) && peek(s, at, &v); break;
  case IS_EXPR: ok = evaluate(r, was, s, true, cfa, &v); break;
  default: break;
  }
  now->v[i] = v;
  now->known = ok ? now->known | 1u << i : now->known & ~(1u << i);
  if (slot)
    *slot = at;
}

/* ---- stepping ---- */

/* A row of the common shape, kept so that a second unwinding through the same
 * call site costs no interpretation: CFA from rsp or rbp, the return address
 * just below it, rbp untouched or saved at a known place, rbx and r12–r15 not
 * needed by any frame above (a frame that needs them is never simple). */
struct simple {
  uint64_t pc;
  uint32_t gen;
  int32_t cfa_offset;
  int16_t rbp_at; /* offset from the CFA, 0 untouched */
  uint8_t from_rbp;
};
#define SIMPLE 4096
static struct simple *simples;

/* guess_rbp looks for the frame that holds the return address of a frame-pointer
 * function whose frame pointer is not known (a thread asleep in a system call
 * shows only its stack pointer): the first stored pair (saved rbp, return
 * address) whose return address follows a call to this very function, or an
 * indirect call. */
static bool guess_rbp(const struct lg_stack *s, uint64_t from, uint64_t function, uint64_t *rbp)
{
  for (uint64_t at = (from + 7) & ~7ull; at < from + 65536; at += 8) {
    uint64_t ra;
    if (!peek(s, at + 8, &ra))
      return false;
    struct module *m = module_in_table(ra);
    if (!m || ra - m->lo < 8)
      continue;
    const unsigned char *code = (const unsigned char *)ra;
    int32_t rel;
    memcpy(&rel, code - 4, 4);
    bool direct = code[-5] == 0xe8 && ra + (uint64_t)(int64_t)rel == function;
    bool indirect = (code[-2] == 0xff && (code[-1] & 0x38) == 0x10) || (code[-6] == 0xff && (code[-5] & 0x38) == 0x10) ||
                    (code[-3] == 0xff && (code[-2] & 0x38) == 0x10);
    if (direct || indirect) {
      *rbp = at;
      return true;
    }
  }
  return false;
}

static bool step_full(struct lg_regs *r, const struct lg_stack *s, struct module *m, uint64_t pc, uint64_t *slot, struct simple *keep)
{
  struct fde f;
  static struct row row; /* large; the file lock is held */
  uint64_t cfa;
  if (!find_fde(m, pc, &f) || !row_at(&f, pc, &row))
    return false;
  if (row.cfa.kind == IN_REG && row.cfa.n == RBP && !(r->known >> RBP & 1) &&
      guess_rbp(s, r->v[RSP], f.start, &r->v[RBP]))
    r->known |= 1u << RBP;
  if (!find_cfa(&row, r, s, &cfa) || row.reg[PC].kind == UNDEFINED)
    return false;
  struct lg_regs was = *r;
  for (int i = 0; i < NREGS; i++)
    if (i != RSP)
      restore(&row, i, &was, cfa, s, r, i == PC ? slot : NULL);
  if (row.reg[RSP].kind == SAME) {
    r->v[RSP] = cfa;
    r->known |= 1u << RSP;
  } else {
    restore(&row, RSP, &was, cfa, s, r, NULL); /* a signal frame names the stack pointer outright */
  }
  bool plain = row.cfa.kind == IN_REG && (row.cfa.n == RSP || row.cfa.n == RBP) && row.reg[PC].kind == AT_CFA &&
               row.reg[PC].n == -8 && row.reg[RSP].kind == SAME && row.cfa_offset < INT32_MAX &&
               (row.reg[RBP].kind == SAME || (row.reg[RBP].kind == AT_CFA && row.reg[RBP].n > INT16_MIN));
  if (plain && keep)
    *keep = (struct simple){pc, lg_module_gen, (int32_t)row.cfa_offset,
                            row.reg[RBP].kind == SAME ? 0 : (int16_t)row.reg[RBP].n, row.cfa.n == RBP};
  return r->known >> PC & 1;
}

/* step_simple leaves rbx and r12–r15 unknown; frames that need them fail and
 * the whole unwinding is done again in full. */
static bool step_simple(struct lg_regs *r, const struct lg_stack *s, const struct simple *k, uint64_t *slot)
{
  uint64_t cfa = r->v[k->from_rbp ? RBP : RSP] + (uint64_t)(int64_t)k->cfa_offset;
  *slot = cfa - 8;
  if (!peek(s, *slot, &r->v[PC]) || (k->rbp_at && !peek(s, cfa + (uint64_t)(int64_t)k->rbp_at, &r->v[RBP])))
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
  struct simple *k = simples ? &simples[(pc * 0x9e3779b97f4a7c15ull) >> 52] : NULL;
  if (!full && k && k->pc == pc && k->gen == lg_module_gen && (!k->from_rbp || r->known >> RBP & 1))
    return step_simple(r, s, k, slot) && r->v[RSP] > sp;
  struct module *m = module_at(pc);
  if (!m || !step_full(r, s, m, pc, slot, full ? NULL : k))
    return false;
  return r->v[RSP] > sp;
}

/* walk collects frames until the stack ends. A return address of zero, or an
 * FDE that declares the return address undefined (_start, clone), ends it well. */
static void walk(struct lg_regs *r, const struct lg_stack *s, bool exact, bool full, struct lg_trace *out)
{
  while (out->n < LG_MAX_FRAMES) {
    uint64_t slot = 0, pc = r->v[PC];
    if (!step(r, s, exact, full, &slot)) {
      struct module *m = module_at(pc - !exact);
      struct fde f;
      static struct row row;
      out->partial = r->v[PC] != 0 && !(m && find_fde(m, pc - !exact, &f) && row_at(&f, pc - !exact, &row) && row.reg[PC].kind == UNDEFINED);
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
    simples = lg_pages(sizeof *simples * SIMPLE);
  if (!modules && may_refresh)
    lg_modules_current();
}

void lg_unwind(struct lg_regs *r, const struct lg_stack *s, bool in_handler, struct lg_trace *out)
{
  may_refresh = !in_handler;
  prepare();
  out->n = 1;
  out->partial = false;
  out->pc[0] = r->v[PC];
  out->slot[0] = 0;
  walk(r, s, true, true, out);
  may_refresh = true;
}

static void here(struct lg_regs *r)
{
  __asm__ volatile("mov %%rbx, 24(%0)\n\tmov %%rbp, 48(%0)\n\tmov %%rsp, 56(%0)\n\t"
                   "mov %%r12, 96(%0)\n\tmov %%r13, 104(%0)\n\tmov %%r14, 112(%0)\n\tmov %%r15, 120(%0)\n\t"
                   "lea 0f(%%rip), %%rax\n\tmov %%rax, 128(%0)\n0:"
                   : : "D"(r->v) : "rax", "memory");
  r->known = 1u << 3 | 1u << RBP | 1u << RSP | 0xfu << 12 | 1u << PC;
}

/* climb steps from inside the recorder to the wrapper whose CFA is given. */
static bool climb(struct lg_regs *r, const struct lg_stack *s, uint64_t cfa, bool full)
{
  bool exact = true;
  for (int i = 0; i < 16; i++) {
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
  static unsigned char copy[65536];
  struct iovec to = {copy, sizeof copy}, from = {(void *)sp, sizeof copy};
  ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  while (n < 0 && from.iov_len > 4096) {
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
