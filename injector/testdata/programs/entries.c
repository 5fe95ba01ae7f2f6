/* Functions that begin with instructions which depend on where they are. Each
 * returns 7; main calls each of them ROUNDS times and checks. */
#include <stdio.h>

#define ROUNDS 3
#define FUNCTION(name, body)                                                   \
  __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n"   \
          #name ":\n" body "\n.size " #name ",.-" #name "\n");                 \
  extern long name(void)

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

static struct {
  const char *name;
  long (*function)(void);
  int vector;
} all[] = {
#define F(x) {#x, x, 0}
  F(load), F(load_byte), F(compare), F(compare_long), F(address), F(jump_short), F(jump_long), F(jump_away),
  F(jump_through), F(taken), F(not_taken), F(taken_long), F(counted_out), F(call_first), F(call_through), F(pushes),
  F(branch_target), {"vector2", vector2, 1}, {"vector3", vector3, 1}, {"vector_zero", vector_zero, 1},
};

int main(void)
{
  int wrong = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
      long (*f)(void) = all[i].function, got;
      if (all[i].vector && !__builtin_cpu_supports("avx2"))
        continue;
      /* rax 0, rcx 1 and the zero flag set are what the functions count on */
      __asm__ volatile("sub $128, %%rsp\n xor %%eax, %%eax\n call *%1\n lea 128(%%rsp), %%rsp"
                       : "=&a"(got) : "r"(f), "c"(1L) : "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
      if (got != 7) {
        printf("%s gave %ld\n", all[i].name, got);
        wrong = 1;
      }
    }
  return wrong;
}
