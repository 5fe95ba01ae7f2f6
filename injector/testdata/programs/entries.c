/* Functions that begin with instructions which depend on where they are. Each
 * returns 7; main calls each of them ROUNDS times and checks. */
#include <stdio.h>

#define ROUNDS 3
#define FUNCTION(name, body)                                                   \
  __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n"   \
          #name ":\n" body "\n.size " #name ",.-" #name "\n");                 \
  extern long name(void)

#ifdef __aarch64__
__asm__(".data\n.p2align 5\nseven: .quad 7\n.text\n.p2align 3\nnear: .quad 7\nnegative: .word -7\n");
FUNCTION(give_seven, "mov x0, #7\n ret");
FUNCTION(load, "ldr x0, near\n ret");
FUNCTION(load_word, "ldr w0, near\n ret");
FUNCTION(load_signed, "ldrsw x0, negative\n neg x0, x0\n ret");
FUNCTION(fetch, "prfm pldl1keep, near\n mov x0, #7\n ret");
FUNCTION(address, "adr x0, near\n ldr x0, [x0]\n ret");
FUNCTION(page, "adrp x0, seven\n ldr x0, [x0, #:lo12:seven]\n ret");
FUNCTION(jump, "b 1f\n nop\n1: mov x0, #7\n ret");
FUNCTION(jump_away, "b give_seven");
FUNCTION(taken, "b.eq 1f\n mov x0, #8\n ret\n1: mov x0, #7\n ret");
FUNCTION(not_taken, "b.ne 1f\n mov x0, #7\n ret\n1: mov x0, #8\n ret");
FUNCTION(is_zero, "cbz w0, 1f\n mov x0, #8\n ret\n1: mov x0, #7\n ret");
FUNCTION(not_zero, "cbnz x1, 1f\n mov x0, #8\n ret\n1: mov x0, #7\n ret");
FUNCTION(bit_set, "tbnz w1, #0, 1f\n mov x0, #8\n ret\n1: mov x0, #7\n ret");
FUNCTION(bit_clear, "tbz x1, #40, 1f\n mov x0, #8\n ret\n1: mov x0, #7\n ret");
FUNCTION(pushes, "stp x29, x30, [sp, #-16]!\n mov x0, #7\n ldp x29, x30, [sp], #16\n ret");
FUNCTION(call_first, "bl give_seven\n ret x9");
FUNCTION(call_through, "blr x10\n ret x9");
FUNCTION(branch_target, "hint #34\n mov x0, #7\n ret");
FUNCTION(signs, "paciasp\n mov x0, #7\n autiasp\n ret");
#define VECTOR 0
#else
__asm__(".data\n.p2align 5\nseven: .quad 7\nzero: .quad 0,0,0,0\npointer: .quad give_seven\n.text\n");
FUNCTION(give_seven, "mov $7, %eax\n ret");
FUNCTION(load, "mov seven(%rip), %rax\n ret");
FUNCTION(load_byte, "movzbl seven(%rip), %eax\n ret");
FUNCTION(compare, "cmpq $7, seven(%rip)\n jne 1f\n mov $7, %eax\n1: ret");
FUNCTION(compare_long, "cmpl $0x12345678, seven(%rip)\n je 1f\n mov $7, %eax\n1: ret");
FUNCTION(address, "lea seven(%rip), %rax\n mov (%rax), %rax\n ret");
FUNCTION(jump_short, "jmp 1f\n nop\n1: mov $7, %eax\n ret");
FUNCTION(jump_long, "jmp 1f\n .skip 300, 0x90\n1: mov $7, %eax\n ret");
FUNCTION(jump_away, "jmp give_seven");
FUNCTION(jump_through, "jmp *pointer(%rip)");
FUNCTION(taken, "je 1f\n mov $8, %eax\n ret\n1: mov $7, %eax\n ret");
FUNCTION(not_taken, "jne 1f\n mov $7, %eax\n ret\n1: mov $8, %eax\n ret");
FUNCTION(taken_long, "je 1f\n mov $8, %eax\n ret\n .skip 300, 0x90\n1: mov $7, %eax\n ret");
FUNCTION(counted_out, "jrcxz 1f\n mov $7, %eax\n ret\n1: mov $8, %eax\n ret");
FUNCTION(call_first, "call give_seven\n ret");
FUNCTION(call_through, "call *pointer(%rip)\n ret");
FUNCTION(pushes, "push %rbp\n mov %rsp, %rbp\n mov $7, %eax\n pop %rbp\n ret");
FUNCTION(branch_target, "endbr64\n mov $7, %eax\n ret");

FUNCTION(vector2, "vmovdqu zero(%rip), %ymm0\n vzeroupper\n mov $7, %eax\n ret");
FUNCTION(vector3, "vpalignr $1, zero(%rip), %xmm1, %xmm9\n mov $7, %eax\n ret");
FUNCTION(vector_zero, "vzeroupper\n mov $7, %eax\n ret");

#define VECTOR !__builtin_cpu_supports("avx2")
#endif

static struct {
  const char *name;
  long (*function)(void);
  int vector;
} all[] = {
#define F(x) {#x, x, 0}
#ifdef __aarch64__
  F(load), F(load_word), F(load_signed), F(fetch), F(address), F(page), F(jump), F(jump_away), F(taken), F(not_taken),
  F(is_zero), F(not_zero), F(bit_set), F(bit_clear), F(pushes), F(call_first), F(call_through), F(branch_target), F(signs),
#else
  F(load), F(load_byte), F(compare), F(compare_long), F(address), F(jump_short), F(jump_long), F(jump_away),
  F(jump_through), F(taken), F(not_taken), F(taken_long), F(counted_out), F(call_first), F(call_through), F(pushes),
  F(branch_target), {"vector2", vector2, 1}, {"vector3", vector3, 1}, {"vector_zero", vector_zero, 1},
#endif
};

int main(void)
{
  int wrong = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
      long (*f)(void) = all[i].function, got;
      if (all[i].vector && VECTOR)
        continue;
      /* rax 0, rcx 1 and the zero flag set are what the functions count on */
#ifdef __aarch64__ /* so are x0 and x1; the return address is in x9 too, and the address of one function in x10 */
      __asm__ volatile("mov x0, xzr\n mov x1, #1\n adr x9, 1f\n mov x10, %2\n cmp xzr, xzr\n blr %1\n1: mov %0, x0"
                       : "=&r"(got) : "r"(f), "r"(give_seven) : "x0", "x1", "x9", "x10", "x30", "cc", "memory");
#else
      __asm__ volatile("sub $128, %%rsp\n xor %%eax, %%eax\n call *%1\n lea 128(%%rsp), %%rsp"
                       : "=&a"(got) : "r"(f), "c"(1L) : "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
#endif
      if (got != 7) {
        printf("%s gave %ld\n", all[i].name, got);
        wrong = 1;
      }
    }
  return wrong;
}
