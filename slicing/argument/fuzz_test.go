package argument

import (
	"encoding/binary"
	"testing"

	"laggard/slicing/arm64"
	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// FuzzExecute goes over any bytes as if they were the way to a call. What comes out
// must be values of whole sizes, whose number fits.
func FuzzExecute(f *testing.F) {
	for _, code := range [][]byte{
		{0x89, 0xd7, 0x83, 0xc7, 0x01},                   // mov %edx,%edi; add $1,%edi
		{0x99, 0xf7, 0xf9, 0x89, 0xd6},                   // cltd; idiv %ecx; mov %edx,%esi
		{0x0f, 0x4c, 0xf0, 0x48, 0x8d, 0x3d, 0, 0, 0, 0}, // cmovl; lea 0(%rip),%rdi
		{0x6a, 0x05, 0xff, 0x75, 0xf8, 0x5f},             // push $5; push -8(%rbp); pop %rdi
		{0xc1, 0xe8, 0x21, 0xd3, 0xf8, 0xf7, 0xd8},       // shr $33,%eax; sar %cl,%eax; neg %eax
	} {
		f.Add(code, uint64(7), uint64(0x7ffe0000))
	}
	f.Fuzz(func(t *testing.T, code []byte, a, sp uint64) { executeCode(t, x86.Architecture, code, a, sp) })
}

// FuzzExecuteArm64 is the same of AArch64.
func FuzzExecuteArm64(f *testing.F) {
	for _, words := range [][]uint32{
		{0x2a0203e0, 0x11000400},                         // mov w0, w2; add w0, w0, #1
		{0x1ac10c42, 0x1b018840},                         // sdiv w2, w2, w1; msub w0, w2, w1, w2
		{0x7100041f, 0x1a9fb7e1, 0x90000003},             // cmp w0, #1; cset w1, gt; adrp x3
		{0xa9be7bfd, 0x910003fd, 0xb9001fe0, 0xb9401fe1}, // stp, mov x29, sp; str w0, [sp, #28]; ldr w1
		{0xb862d823, 0x7a42b020, 0x38401c45, 0xa8c27bfd}, // ldr w3, [x1, w2, sxtw #2]; ccmp; ldrb w5, [x2, #1]!; ldp
	} {
		var code []byte
		for _, w := range words {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		f.Add(code, uint64(7), uint64(0x7ffe0000))
	}
	f.Fuzz(func(t *testing.T, code []byte, a, sp uint64) { executeCode(t, arm64.Architecture, code, a, sp) })
}

// executeCode goes over code with some registers known.
func executeCode(t *testing.T, p *cpu.Architecture, code []byte, a, sp uint64) {
	code = code[:min(len(code), maxSteps)]
	nothing := &Call{Read: func(uint64, []byte) bool { return false }}
	m := newMachine(p, nothing, []store{})
	m.reg[0], m.reg[1] = knownValue(a, 64, false), knownValue(a>>32, 32, true)
	m.reg[p.SP], m.reg[p.FP] = knownValue(sp, 64, false), knownValue(sp+64, 64, false)
	for addr := uint64(0x1000); len(code) > 0; {
		whole := code[:min(len(code), p.Kind.LongestInstruction)]
		for _, in := range p.Decode(nil, whole, addr) {
			if in.Kind == cpu.Next {
				m.executeInst(whole, &in)
			} else if in.Kind == cpu.Branch {
				m.code.branchTaken(whole)
			}
			n := max(in.Len, 1)
			code, addr = code[min(n, len(code)):], addr+uint64(n)
			m.step++
		}
	}
	for r, v := range m.reg {
		switch v.Bits {
		case 0, 8, 16, 32, 64:
		default:
			t.Fatalf("register %d has %d bits", r, v.Bits)
		}
		if v.Number&^bitMask(v.Bits) != 0 {
			t.Fatalf("register %d: %#x has more than %d bits", r, v.Number, v.Bits)
		}
	}
}
