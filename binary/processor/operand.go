package processor

// X86OperandLength returns the length of the ModRM byte of x86-64 at the beginning of code with what belongs to it: a SIB
// byte and an offset (Intel SDM volume 2, section 2.1.5). It is more than any instruction has where code is too short.
func X86OperandLength(code []byte) int {
	if len(code) == 0 {
		return X86.LongestInstruction + 1
	}
	mod, rm := code[0]>>6, code[0]&7
	n, base := 1, rm
	if mod == 3 {
		return n
	}
	if rm == 4 {
		if len(code) < 2 {
			return X86.LongestInstruction + 1
		}
		base = code[1] & 7
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, base == 5 && mod == 0:
		n += 4
	}
	return n
}

// X86RelativeToPC reports whether the operand of a ModRM byte is in memory at a distance from the program counter.
func X86RelativeToPC(modRM byte) bool { return modRM>>6 == 0 && modRM&7 == 5 }
