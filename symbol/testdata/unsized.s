# Functions as assembler code has them: without sizes, and without unwinding information.
	.text
	.globl main
main:
	xorl %eax, %eax
	ret
	.skip 60, 0x90
	.globl second
second:
	ret
	.globl sized
	.type sized, @function
	.size sized, 1
sized:
	ret
	.skip 500, 0x90
	.section .note.GNU-stack,"",@progbits
