/* aarch64: registers, calls and signals, as its procedure call standard (AAPCS64, AADWARF64)
 * and Linux have them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

/* Where a function that keeps a frame pointer has put its return address is known without its
 * call frame information: in the second word of the frame record, to which the pointer points. */
#define LG_MACHINE_CFA ((uint64_t)__builtin_frame_address(0) + 16)
#define LG_RETURN_BELOW_CFA 0 /* see x86_64.h */

/* DWARF numbers of registers (AADWARF64, section 4.1). FP: x29; RA: x30, which is what call
 * frame information calls the return address; VG: eight bytes are in a vector so often. PC is
 * where execution stands, or goes on; it has a number that is reserved. */
enum { RESULT = 0, X19 = 19, FP = 29, RA = 30, SP = 31, PC = 32, VG = 46, NREGS = 47 };

#define LG_ADDRESS_BITS 48 /* of a program that does not ask for more */
#define LG_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define LG_GLOBAL_DATA R_AARCH64_GLOB_DAT
#define LG_ADDRESS R_AARCH64_ABS64

/* System calls of older machines are missing. */
#define LG_OLDER_POLLS

/* lg_code is the address that a stored return address means: pointer authentication puts a code
 * into its upper bits. The instruction, xpaclri, does nothing on processors without it. */
static inline uint64_t lg_code(uint64_t ra)
{
  register uint64_t x30 __asm__("x30") = ra;
  __asm__("hint #7" : "+r"(x30));
  return x30;
}

/* lg_standing gives the registers that are the same for all code of the process, and returns
 * which: the length of vectors, of which frames may be multiples. */
#define LG_STANDING (1ull << VG)
static inline uint64_t lg_standing(uint64_t *v)
{
  if (!(getauxval(AT_HWCAP) & HWCAP_SVE))
    return 0;
  __asm__(".arch_extension sve\n\tcntd %0\n\t.arch_extension nosve" : "=r"(v[VG]));
  return 1ull << VG;
}

/* LG_HERE reads the registers that functions keep, and where this is. The offsets are 8 times
 * the numbers above. */
#define LG_HERE(v)                                                                                        \
  __asm__ volatile("stp x19, x20, [%0, #152]\n\tstp x21, x22, [%0, #168]\n\tstp x23, x24, [%0, #184]\n\t" \
                   "stp x25, x26, [%0, #200]\n\tstp x27, x28, [%0, #216]\n\tstp x29, x30, [%0, #232]\n\t" \
                   "mov x9, sp\n\tadr x10, 0f\n\tstp x9, x10, [%0, #248]\n0:"                             \
                   : : "r"(v) : "x9", "x10", "memory")
#define LG_HERE_KNOWN (0xfffull << X19 | 1ull << SP | 1ull << PC)

/* LG_CONTEXT reads the registers that a signal handler was given: x0 … x30, sp and pc lie in the
 * order of their numbers. */
#define LG_CONTEXT_AT (offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, regs))
#define LG_CONTEXT(ucontext, v) memcpy(v, (const char *)(ucontext) + LG_CONTEXT_AT, 8 * (PC + 1))
#define LG_CONTEXT_KNOWN (lg_bit(PC + 1) - 1)
#define LG_SYSCALL_ARGUMENT(v) ((void)(v), 0ul) /* its result is in the place of the first one */

/* The instructions that a return address follows, all of four bytes: bl, blr, and blr with
 * authentication of the pointer, with two registers and with one. */
enum { BL = 0x25, BLR = 0xd63f0000, BLRA = 0xd73f0800, BLRAZ = 0xd63f0800 };
#define LG_CALL_BYTES 4

static inline uint32_t lg_instruction(uint64_t at)
{
  uint32_t word;
  memcpy(&word, (const void *)at, sizeof word);
  return word;
}

/* lg_called is the function that the call before a return address names; 0: none. */
static inline uint64_t lg_called(uint64_t ra)
{
  uint32_t word = lg_instruction(ra - 4);
  return word >> 26 == BL ? ra - 4 + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36) : 0;
}

/* lg_may_call tells whether a return address follows a call to that function, or one through a
 * pointer, which may be to any. The LG_CALL_BYTES before it can be read. */
static inline bool lg_may_call(uint64_t ra, uint64_t function)
{
  uint32_t word = lg_instruction(ra - 4);
  return lg_called(ra) == function || (word & 0xfffffc1fu) == (uint32_t)BLR ||
         (word & 0xfffff800u) == (uint32_t)BLRA || (word & 0xfffff81fu) == ((uint32_t)BLRAZ | 0x1f);
}

/* lg_is_stub tells whether pc is in a piece of code without call frame information that the
 * linker made, has no frame, and was called from where ra says: an entry of the procedure
 * linkage table. The LG_CALL_BYTES before ra can be read. */
enum { LG_STUB_BYTES = 24 };
static inline bool lg_is_stub(uint64_t pc, uint64_t ra)
{
  uint64_t called = lg_called(ra);
  return called && called <= pc && pc - called < LG_STUB_BYTES;
}

/* lg_signal_registers is the offset from the stack pointer of the registers x0 … that a signal
 * interrupted, with which the kernel calls a handler; 0 unless the handler returns to pc, where
 * the kernel has put the two instructions that end it. */
enum { MOV_X8_RT_SIGRETURN = 0xd2801168, SVC_0 = 0xd4000001, SIGINFO_BYTES = 128 };
static inline uint64_t lg_signal_registers(uint64_t pc)
{
  if (lg_instruction(pc) != (uint32_t)MOV_X8_RT_SIGRETURN || lg_instruction(pc + 4) != (uint32_t)SVC_0)
    return 0;
  return SIGINFO_BYTES + LG_CONTEXT_AT;
}

#define LG_SYSCALL "\x01\x00\x00\xd4" /* the instruction, svc #0 */
