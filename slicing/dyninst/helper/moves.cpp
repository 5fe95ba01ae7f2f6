#include "instruction.h"

static uint64_t bit(int reg) { return reg == NONE ? 0 : uint64_t(1) << reg; }

static Memory stack(int base, int64_t disp) {
  Memory m;
  m.base = base, m.disp = disp, m.size = 8;
  return m;
}

// The explicit operands of an instruction: where it writes, and what it reads.
struct Pair {
  const Operand *dst = nullptr, *src = nullptr;

  explicit Pair(const std::vector<Operand> &operands) {
    for (auto &o : operands) {
      bool explicitOne = o.reg != FLAGS && (o.reg != NONE || o.memory || o.imm);
      if (!explicitOne)
        continue;
      (dst ? src : dst) = &o;
      if (src)
        break;
    }
  }
  // general tells whether the target is at least half of a general register:
  // the lesser parts keep the rest.
  bool general() const { return dst && dst->reg >= 0 && dst->reg < GENERAL && dst->bits >= 32; }
  bool fromGeneral() const { return src && src->reg >= 0 && src->reg < GENERAL && !src->high; }
};

static void set(Described &out, Move move, int dst, int src, int64_t imm = 0) { out.move = move, out.dst = dst, out.src = src, out.imm = imm; }

static void mov(Described &out, const Pair &p) {
  if (!p.dst || !p.src)
    return;
  if (p.dst->memory) {
    if (p.src->imm)
      set(out, STORE_IMM, NONE, NONE, *p.src->imm);
    else
      set(out, STORE_REG, NONE, p.src->reg);
  } else if (!p.general()) {
    return;
  } else if (p.src->imm) {
    set(out, SET_IMM, p.dst->reg, NONE, *p.src->imm);
  } else if (p.src->memory) {
    set(out, LOAD_REG, p.dst->reg, NONE);
  } else if (p.fromGeneral()) {
    set(out, COPY, p.dst->reg, p.src->reg);
  }
}

static void push(Described &out, const Pair &p) {
  out.sp = -8;
  out.store = stack(RSP, -8);
  if (p.dst && p.dst->reg >= 0 && p.dst->reg < GENERAL) {
    set(out, PUSH_REG, NONE, p.dst->reg);
    out.use |= bit(p.dst->reg);
  } else if (p.dst && p.dst->memory) {
    out.load = p.dst->memory;
  }
}

static void pop(Described &out, const Pair &p) {
  out.sp = 8;
  out.load = stack(RSP, 0);
  out.load2.reset();
  out.store.reset();
  if (p.dst && p.dst->reg >= 0 && p.dst->reg < GENERAL) {
    set(out, POP_REG, p.dst->reg, NONE);
    out.def |= bit(p.dst->reg), out.kills |= bit(p.dst->reg);
  } else if (p.dst && p.dst->memory) {
    out.store = p.dst->memory;
  }
}

// zero: the result of combining a register with itself depends on nothing.
static bool zero(Described &out, entryID op, const std::vector<Operand> &operands) {
  if (op != e_xor && op != e_sub)
    return false;
  std::vector<const Operand *> regs;
  for (auto &o : operands) {
    if (o.memory || o.imm)
      return false;
    if (o.reg != NONE && o.reg != FLAGS)
      regs.push_back(&o);
  }
  if (regs.size() < 2 || regs[regs.size() - 1]->reg != regs[regs.size() - 2]->reg || regs.back()->bits != regs[regs.size() - 2]->bits)
    return false;
  out.use &= ~bit(regs.back()->reg);
  if (op == e_xor && regs[0]->reg < GENERAL && regs[0]->bits >= 32)
    set(out, SET_IMM, regs[0]->reg, NONE);
  return true;
}

static void arithmetic(Described &out, entryID op, const Pair &p) {
  if (!p.general())
    return;
  int dst = p.dst->reg;
  if (op == e_inc || op == e_dec)
    set(out, ADD_IMM, dst, dst, op == e_inc ? 1 : -1);
  else if (p.src && p.src->imm && op == e_and)
    set(out, AND_IMM, dst, dst, *p.src->imm);
  else if (p.src && p.src->imm)
    set(out, ADD_IMM, dst, dst, op == e_sub ? -*p.src->imm : *p.src->imm);
  else if (op == e_add && p.fromGeneral())
    set(out, ADD_REG, dst, p.src->reg);
  else if (op == e_add && p.src && p.src->memory)
    set(out, ADD_LOAD, dst, NONE);
}

// keeps: it may leave its target as it was.
static bool keeps(entryID op) { return op >= e_cmova && op <= e_cmovs; }

void simple(Described &out, entryID op, const std::vector<Operand> &operands) {
  Pair p(operands);
  if (out.indirect && p.dst)
    out.src = p.dst->reg;
  if (keeps(op)) {
    if (p.dst)
      out.use |= bit(p.dst->reg);
    out.kills = 0;
    return;
  }
  if (zero(out, op, operands))
    return;
  switch (op) {
  case e_mov: case e_movabs: case e_movsx: case e_movsxd: case e_movzx:
    return mov(out, p);
  case e_lea:
    if (p.general())
      set(out, LEA, p.dst->reg, NONE);
    return;
  case e_push:
    return push(out, p);
  case e_pop:
    return pop(out, p);
  case e_leave:
    out.load = stack(RBP, 0);
    out.use &= ~bit(RBP);
    out.def |= bit(RBP), out.kills |= bit(RBP);
    return set(out, LEAVE_MOVE, RBP, NONE);
  case e_add: case e_sub: case e_inc: case e_dec: case e_and:
    return arithmetic(out, op, p);
  case e_cmp:
    if (p.src && p.src->imm)
      out.bound = *p.src->imm;
    return;
  default:
    return;
  }
}
