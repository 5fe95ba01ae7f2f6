// What one instruction reads and writes, from the operands of InstructionAPI.
// The numbers are those of laggard's package slicing/x86.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "Instruction.h"
#include "Operation_impl.h"
#include "Register.h"

namespace iapi = Dyninst::InstructionAPI;

// Registers: the general ones have the numbers of their encoding.
enum Reg { NONE = -1, RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7, R8 = 8, R9 = 9, R10 = 10, R11 = 11, GENERAL = 16, FLAGS = 16, FPU = 17, MASK = 18, X0 = 19 };

enum Kind { NEXT, JUMP, BRANCH, CALL, RETURN, HALT, BAD };

enum Move { NO_MOVE, COPY, SET_IMM, ADD_IMM, LEA, LOAD_REG, STORE_REG, STORE_IMM, ADD_REG, AND_IMM, PUSH_REG, POP_REG, LEAVE_MOVE, ADD_LOAD };

// Memory is an operand: base + index * scale + disp.
struct Memory {
  int base = NONE, index = NONE;
  int64_t scale = 0, disp = 0;
  int size = 0; // bytes, 0 unknown
  bool thread = false;

  std::string json() const;
};

// Described is an instruction as the program wants it.
struct Described {
  uint64_t addr = 0;
  unsigned len = 0;
  Kind kind = NEXT;
  bool indirect = false, opaque = false;
  bool vector = false; // it has operands beyond the general registers
  uint64_t target = 0;
  uint64_t def = 0, use = 0, kills = 0; // sets of registers, by bit
  std::optional<Memory> load, store, load2, address;
  Move move = NO_MOVE;
  int dst = NONE, src = NONE;
  int64_t imm = 0, bound = 0, sp = 0;

  std::string json() const;
};

// Operand is one of the explicit operands, taken apart.
struct Operand {
  iapi::Expression::Ptr value;
  bool read = false, written = false;
  int reg = NONE;      // it is a register
  unsigned bits = 0;   // of that register
  bool high = false;   // it is one like ah
  std::optional<Memory> memory;
  std::optional<int64_t> imm;
};

Described describe(const iapi::Instruction &insn, uint64_t addr);

// simple finds out which value the instruction moves (moves.cpp).
void simple(Described &out, entryID op, const std::vector<Operand> &operands);
