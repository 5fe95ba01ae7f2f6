/* x86-64: registers, calls and signals, as its System V ABI and Linux have them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LG_MACHINE_CFA ((uint64_t)__builtin_dwarf_cfa()) /* the canonical frame address */
#define LG_RETURN_BELOW_CFA 8 /* a return address is that far below the canonical frame address of its function; 0: anywhere */

/* DWARF numbers of registers (System V ABI for x86-64, figure 3.36). FP: what compilers use as
 * frame pointer; RESULT: where a system call leaves its result; RA: what call frame information calls the return address; PC: where execution
 * stands, or goes on. */
enum { RESULT = 0, RBX = 3, FP = 6, SP = 7, R12 = 12, RA = 16, PC = RA, NREGS = 17 };

#define LG_ADDRESS_BITS 47 /* of a program */
#define LG_JUMP_SLOT R_X86_64_JUMP_SLOT
#define LG_GLOBAL_DATA R_X86_64_GLOB_DAT
#define LG_ADDRESS R_X86_64_64

/* System calls that newer machines lack, which wait as poll does. */
#define LG_OLDER_POLLS case SYS_poll: case SYS_select: case SYS_epoll_wait:

/* lg_code is the address that a stored return address means. */
static inline uint64_t lg_code(uint64_t ra)
{
  return ra;
}

/* lg_standing gives the registers that are the same for all code of the process, and returns
 * which. */
#define LG_STANDING 0ull
static inline uint64_t lg_standing(uint64_t *v)
{
  (void)v;
  return 0;
}

/* LG_HERE reads the registers that functions keep, and where this is. The offsets are 8 times
 * the numbers above. */
#define LG_HERE(v)                                                                                        \
  __asm__ volatile("mov %%rbx, 24(%0)\n\tmov %%rbp, 48(%0)\n\tmov %%rsp, 56(%0)\n\t"                      \
                   "mov %%r12, 96(%0)\n\tmov %%r13, 104(%0)\n\tmov %%r14, 112(%0)\n\tmov %%r15, 120(%0)\n\t" \
                   "lea 0f(%%rip), %%rax\n\tmov %%rax, 128(%0)\n0:"                                       \
                   : : "D"(v) : "rax", "memory")
#define LG_HERE_KNOWN (1ull << RBX | 1ull << FP | 1ull << SP | 0xfull << R12 | 1ull << PC)

/* LG_CONTEXT reads the registers that a signal handler was given. */
#define LG_CONTEXT(ucontext, v)                                                                           \
  do {                                                                                                    \
    static const unsigned char order_[NREGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,     \
                                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,     \
                                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};             \
    for (int i_ = 0; i_ < NREGS; i_++)                                                                    \
      (v)[i_] = (uint64_t)((const ucontext_t *)(ucontext))->uc_mcontext.gregs[order_[i_]];                \
  } while (0)
#define LG_CONTEXT_KNOWN (lg_bit(NREGS) - 1)
#define LG_SYSCALL_ARGUMENT(v) ((v)[5]) /* the first one, of registers behind a system call; 0 not known */

/* The instructions that a return address follows. */
enum { CALL_RELATIVE = 0xe8, GROUP5 = 0xff, GROUP5_KIND = 0x38, GROUP5_CALL = 0x10 };
#define LG_CALL_BYTES 8 /* no call is longer */

/* lg_calls_indirectly tells whether a call through a register or memory may begin there. */
static inline bool lg_calls_indirectly(const unsigned char *code)
{
  return code[0] == GROUP5 && (code[1] & GROUP5_KIND) == GROUP5_CALL;
}

/* lg_may_call tells whether a return address follows a call to that function, or one through a
 * pointer, which may be to any. The LG_CALL_BYTES before it can be read. */
static inline bool lg_may_call(uint64_t ra, uint64_t function)
{
  const unsigned char *code = (const unsigned char *)ra;
  int32_t rel;
  memcpy(&rel, code - 4, 4);
  bool direct = code[-5] == CALL_RELATIVE && ra + (uint64_t)(int64_t)rel == function;
  return direct || lg_calls_indirectly(code - 2) || lg_calls_indirectly(code - 3) || lg_calls_indirectly(code - 6);
}

/* lg_is_stub tells whether pc is in a piece of code without call frame information that the
 * linker made, has no frame, and was called from where ra says. Here they have some. */
static inline bool lg_is_stub(uint64_t pc, uint64_t ra)
{
  (void)pc, (void)ra;
  return false;
}

/* lg_signal_registers is the offset from the stack pointer of the registers that a signal
 * interrupted, 0 unless its handler returns to pc. Here call frame information says so. */
static inline uint64_t lg_signal_registers(uint64_t pc)
{
  (void)pc;
  return 0;
}

#define LG_SYSCALL "\x0f\x05" /* the instruction */
