/* The entries of the MPI functions: each says its number, asks slowdown_before where to go on, and goes there with the arguments
 * and the return address that it was given. */
#if defined __x86_64__
#define NUMBER mov $number, %r11d
#define GO jmp go_on
#elif defined __aarch64__
#define NUMBER mov w17, number
#define GO b go_on
#endif

        .text
        .type go_on, %function
go_on:
        .cfi_startproc
#if defined __x86_64__
        push %rdi
        push %rsi
        push %rdx
        push %rcx
        push %r8
        push %r9
        push %rax
        .cfi_adjust_cfa_offset 56
        mov %r11d, %edi
        call slowdown_before
        mov %rax, %r11
        pop %rax
        pop %r9
        pop %r8
        pop %rcx
        pop %rdx
        pop %rsi
        pop %rdi
        .cfi_adjust_cfa_offset -56
        jmp *%r11
#elif defined __aarch64__
        stp x29, x30, [sp, #-96]!
        .cfi_def_cfa_offset 96
        .cfi_offset x29, -96
        .cfi_offset x30, -88
        stp x0, x1, [sp, #16]
        stp x2, x3, [sp, #32]
        stp x4, x5, [sp, #48]
        stp x6, x7, [sp, #64]
        str x8, [sp, #80]
        mov w0, w17
        bl slowdown_before
        mov x16, x0
        ldp x0, x1, [sp, #16]
        ldp x2, x3, [sp, #32]
        ldp x4, x5, [sp, #48]
        ldp x6, x7, [sp, #64]
        ldr x8, [sp, #80]
        ldp x29, x30, [sp], #96
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        br x16
#endif
        .cfi_endproc
        .size go_on, .-go_on

/* They are numbered in the order of the list, as in before.c. */
        .set number, 0
#define FUNCTION(name, sends, params, args)                                                                   \
        .globl name; .type name, %function; name: .cfi_startproc; NUMBER; GO; .cfi_endproc; .size name, .-name; \
        .set number, number + 1
#include "slowdown/functions.h"

        .section .note.GNU-stack, "", %progbits
