#include "instruction.h"

#include <algorithm>

#include "BinaryFunction.h"
#include "Dereference.h"
#include "Immediate.h"
#include "InstructionCategories.h"
#include "json.h"
#include "registers/x86_64_regs.h"

using Dyninst::MachRegister;
using Dyninst::InstructionAPI::BinaryFunction;
using Dyninst::InstructionAPI::Dereference;
using Dyninst::InstructionAPI::Expression;
using Dyninst::InstructionAPI::Immediate;
using Dyninst::InstructionAPI::RegisterAST;
namespace x86 = Dyninst::x86_64;

std::string Memory::json() const {
  Object o;
  o.number("base", base);
  o.number("index", index);
  o.number("scale", scale);
  o.number("disp", disp);
  o.number("size", size);
  if (thread)
    o.raw("thread", "true");
  return o.str();
}

std::string Described::json() const {
  Object o;
  o.number("addr", addr);
  o.number("len", len);
  o.number("kind", kind);
  if (target)
    o.number("target", target);
  if (indirect)
    o.raw("indirect", "true");
  if (opaque)
    o.raw("opaque", "true");
  if (vector)
    o.raw("vector", "true");
  o.number("def", def);
  o.number("use", use);
  o.number("kills", kills);
  for (auto [key, m] : {std::pair{"load", &load}, {"store", &store}, {"load2", &load2}, {"address", &address}})
    if (*m)
      o.raw(key, (*m)->json());
  o.number("move", move);
  o.number("dst", dst);
  o.number("src", src);
  o.number("imm", imm);
  o.number("bound", bound);
  o.number("sp", sp);
  return o.str();
}

// number maps a register; NONE are those that are not followed, such as rip,
// the segments and the direction flag.
static int number(MachRegister r) {
  constexpr unsigned kinds = 0x00ff0000, index = 0x000000ff;
  switch (static_cast<unsigned>(r.val()) & kinds) {
  case x86::GPR:
    return static_cast<int>(r.val() & index);
  case x86::FLAG:
    for (MachRegister f : {x86::cf, x86::pf, x86::af, x86::zf, x86::sf, x86::of})
      if (r == f)
        return FLAGS;
    return NONE;
  case x86::X87:
  case x86::MMX:
    return FPU;
  case x86::XMM:
  case x86::YMM:
  case x86::ZMM:
    return X0 + static_cast<int>(r.val() & index);
  case x86::KMASK:
    return MASK;
  }
  return NONE;
}

static uint64_t bit(int reg) { return reg == NONE ? 0 : uint64_t(1) << reg; }

static bool isThread(MachRegister r) { return r == x86::fs || r == x86::gs; }

// add takes the address of a memory operand apart. Products with a segment,
// which Dyninst adds to string operands, count as nothing.
static void add(const Expression::Ptr &e, Memory &m, uint64_t end) {
  if (auto r = boost::dynamic_pointer_cast<RegisterAST>(e)) {
    int n = number(r->getID());
    if (r->getID() == x86::rip || r->getID() == x86::eip)
      m.disp += static_cast<int64_t>(end);
    else if (n == NONE)
      return;
    else if (m.base == NONE)
      m.base = n;
    else
      m.index = n, m.scale = 1;
  } else if (auto i = boost::dynamic_pointer_cast<Immediate>(e)) {
    m.disp += i->eval().convert<int64_t>();
  } else if (auto f = boost::dynamic_pointer_cast<BinaryFunction>(e)) {
    std::vector<Expression::Ptr> part;
    f->getChildren(part);
    if (part.size() == 2 && f->isMultiply()) {
      auto reg = boost::dynamic_pointer_cast<RegisterAST>(part[0]);
      if (reg && number(reg->getID()) != NONE)
        m.index = number(reg->getID()), m.scale = part[1]->eval().convert<int64_t>();
    } else {
      for (auto &p : part)
        add(p, m, end);
    }
  }
}

static Memory memory(const Expression::Ptr &address, int size, bool thread, uint64_t end) {
  Memory m;
  add(address, m, end);
  if (m.scale == 1 && m.index == RSP) // it can only be the base
    std::swap(m.base, m.index);
  m.size = size;
  m.thread = thread;
  return m;
}

// constant is the value of an immediate as a signed one, which Dyninst takes for
// unsigned.
static int64_t constant(const Immediate &i) {
  auto &value = i.eval();
  auto n = value.convert<int64_t>();
  switch (value.size()) {
  case 1:
    return static_cast<int8_t>(n);
  case 2:
    return static_cast<int16_t>(n);
  case 4:
    return static_cast<int32_t>(n);
  }
  return n;
}

static Operand operand(const iapi::Operand &o, bool thread, uint64_t end) {
  Operand out;
  out.value = o.getValue();
  out.read = o.isRead();
  out.written = o.isWritten();
  if (auto r = boost::dynamic_pointer_cast<RegisterAST>(out.value)) {
    out.reg = number(r->getID());
    out.bits = r->getID().size() * 8;
    out.high = (r->getID().val() & 0x0000ff00) == x86::H_REG;
  } else if (auto d = boost::dynamic_pointer_cast<Dereference>(out.value)) {
    std::vector<Expression::Ptr> address;
    d->getChildren(address);
    out.memory = memory(address.at(0), d->size(), thread, end);
  } else if (auto i = boost::dynamic_pointer_cast<Immediate>(out.value)) {
    out.imm = constant(*i);
  }
  return out;
}

// flow says where control goes.
static void flow(Described &out, const iapi::Instruction &insn, entryID op) {
  switch (insn.getCategory()) {
  case iapi::c_CallInsn:
    out.kind = CALL;
    break;
  case iapi::c_ReturnInsn:
    out.kind = RETURN, out.sp = 8;
    return;
  case iapi::c_BranchInsn:
    out.kind = insn.allowsFallThrough() ? BRANCH : JUMP;
    break;
  case iapi::c_SyscallInsn:
    out.opaque = true;
    return;
  default:
    out.kind = op == e_ud2 || op == e_hlt ? HALT : NEXT;
    return;
  }
  auto to = insn.getControlFlowTarget();
  RegisterAST pc(x86::rip);
  if (to) {
    to->bind(&pc, iapi::Result(iapi::u64, out.addr));
    auto at = to->eval();
    out.indirect = !at.defined;
    if (at.defined)
      out.target = at.convert<uint64_t>();
  }
}

// effects sums up the operands, and what the instruction does besides.
static void effects(Described &out, const std::vector<Operand> &operands) {
  for (auto &o : operands) {
    if (o.reg != NONE) {
      out.use |= o.read ? bit(o.reg) : 0;
      out.def |= o.written ? bit(o.reg) : 0;
    }
    if (!o.memory)
      continue;
    if (o.read)
      (out.load ? out.load2 : out.load) = o.memory;
    if (o.written)
      out.store = o.memory;
  }
}

// sizes corrects the sizes of memory operands where InstructionAPI has others.
static void sizes(Described &out, const iapi::Operation &operation, std::vector<Operand> &operands) {
  unsigned vector = 0;
  for (auto &o : operands)
    if (o.reg >= FPU)
      vector = std::max(vector, o.bits / 8);
  out.vector = vector > 0;
  bool repeated = operation.getPrefixID() == prefix_rep || operation.getPrefixID() == prefix_repnz;
  for (auto &o : operands) {
    if (!o.memory)
      continue;
    if (out.kind == JUMP || out.kind == CALL || operation.getID() == e_push || operation.getID() == e_pop)
      o.memory->size = 8;
    else if (vector) // the size of one element is what Dyninst has
      o.memory->size = static_cast<int>(vector);
    else if (repeated)
      o.memory->size = 0;
  }
}

// idle instructions name operands, but do nothing with them.
static bool idle(entryID op, const iapi::Instruction &insn) {
  return op == e_nop || insn.getCategory() == iapi::c_ReturnInsn || op == e_endbr64 || insn.getCategory() == iapi::c_PrefetchInsn;
}

Described describe(const iapi::Instruction &insn, uint64_t addr) {
  Described out;
  out.addr = addr;
  out.len = insn.size();
  if (!insn.isValid()) {
    out.kind = BAD, out.opaque = true;
    return out;
  }
  entryID op = insn.getOperation().getID();
  auto operation = insn.getOperation();
  bool thread = false;
  for (auto &r : operation.implicitReads()) {
    thread = thread || isThread(r->getID());
    out.use |= bit(number(r->getID()));
  }
  for (auto &r : operation.implicitWrites())
    out.def |= bit(number(r->getID()));
  std::vector<iapi::Operand> raw;
  insn.getOperands(raw);
  std::vector<Operand> operands;
  for (auto &o : raw)
    operands.push_back(operand(o, thread, addr + out.len));
  flow(out, insn, op);
  sizes(out, operation, operands);
  if (op == e_lea) // its operand is an address, and nothing is read there
    for (auto &o : operands)
      if (!o.written && o.value) {
        out.address = memory(o.value, 0, thread, addr + out.len);
        out.use |= bit(out.address->base) | bit(out.address->index);
      }
  if (!idle(op, insn))
    effects(out, operands);
  out.kills = out.def & ~bit(FPU);
  simple(out, op, operands);
  out.def &= ~bit(RSP);
  out.use &= ~bit(RSP);
  out.kills &= out.def;
  return out;
}
