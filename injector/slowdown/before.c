/* Before the recorder: the MPI functions as the program calls them. Here a rank computes longer: before a call it uses the
 * processor for as long as it did since the last one, times what the factor is above 1. The call goes on by a jump, so that
 * the recorder sees the program as its caller. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "slowdown.h"

#define LEAST 20000 /* nanoseconds that are worth a loop; less is remembered */

static void compute(void)
{
  static __thread double owed;
  struct slowdown_thread *t = slowdown_this_thread();
  double factor = slowdown_amount(COMPUTE);
  if (factor <= 1 || t->depth > 0 || t->returned == 0)
    return;
  uint64_t now = slowdown_clock(CLOCK_THREAD_CPUTIME_ID);
  owed += (factor - 1) * (double)(now - t->returned);
  t->returned = now;
  if (owed < LEAST)
    return;
  while ((double)(slowdown_clock(CLOCK_THREAD_CPUTIME_ID) - now) < owed)
    ;
  owed -= (double)(slowdown_clock(CLOCK_THREAD_CPUTIME_ID) - now);
}

enum {
#define FUNCTION(name, sends, params, args) FUNCTION_##name,
#include "slowdown/functions.h"
#undef FUNCTION
  FUNCTIONS
};

static const char *const names[] = {
#define FUNCTION(name, sends, params, args) #name,
#include "slowdown/functions.h"
#undef FUNCTION
};

/* slowdown_before is called by the stubs, and returns what a function goes on with. */
__attribute__((used, visibility("hidden"))) void *slowdown_before(unsigned function)
{
  static void *next[FUNCTIONS];
  void *real = __atomic_load_n(&next[function], __ATOMIC_RELAXED);
  if (!real) {
    real = dlsym(RTLD_NEXT, names[function]);
    if (!real) {
      fprintf(stderr, "laggard: slowdown: no %s behind it\n", names[function]);
      abort();
    }
    __atomic_store_n(&next[function], real, __ATOMIC_RELAXED);
  }
  compute();
  return real;
}

/* Each stub names its function and goes to this code, which keeps the arguments. */
#if defined __x86_64__
__asm__(".text\n"
        ".type slowdown_stub, @function\n"
        "slowdown_stub:\n"
        "  .cfi_startproc\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %rax\n"
        "  .cfi_adjust_cfa_offset 56\n"
        "  mov %r11d, %edi\n"
        "  call slowdown_before\n"
        "  mov %rax, %r11\n"
        "  pop %rax\n  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  .cfi_adjust_cfa_offset -56\n"
        "  jmp *%r11\n"
        "  .cfi_endproc\n"
        ".size slowdown_stub, .-slowdown_stub\n");
#define STUB "  mov $slowdown_number, %r11d\n  jmp slowdown_stub\n"
#elif defined __aarch64__
__asm__(".text\n"
        ".type slowdown_stub, @function\n"
        "slowdown_stub:\n"
        "  .cfi_startproc\n"
        "  stp x29, x30, [sp, #-96]!\n"
        "  .cfi_def_cfa_offset 96\n  .cfi_offset x29, -96\n  .cfi_offset x30, -88\n"
        "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n  stp x6, x7, [sp, #64]\n  str x8, [sp, #80]\n"
        "  mov w0, w17\n"
        "  bl slowdown_before\n"
        "  mov x16, x0\n"
        "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n  ldp x6, x7, [sp, #64]\n  ldr x8, [sp, #80]\n"
        "  ldp x29, x30, [sp], #96\n"
        "  .cfi_restore x29\n  .cfi_restore x30\n  .cfi_def_cfa_offset 0\n"
        "  br x16\n"
        "  .cfi_endproc\n"
        ".size slowdown_stub, .-slowdown_stub\n");
#define STUB "  mov w17, #slowdown_number\n  b slowdown_stub\n"
#endif

/* The assembler counts them as the list above does. */
__asm__(".set slowdown_number, 0\n");
#define FUNCTION(name, sends, params, args)                                                       \
  __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n  .cfi_startproc\n" STUB     \
          "  .cfi_endproc\n.size " #name ", .-" #name "\n.set slowdown_number, slowdown_number + 1\n");
#include "slowdown/functions.h"
