package argument

import (
	"testing"

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
	f.Fuzz(func(t *testing.T, code []byte, a, sp uint64) {
		code = code[:min(len(code), maxSteps)]
		nothing := &Call{Read: func(uint64, []byte) bool { return false }}
		m := &machine{at: nothing, known: []store{}, wrote: map[uint64]Value{}}
		m.reg[x86.RAX], m.reg[x86.RCX] = number(a, 64, false), number(a>>32, 32, true)
		m.reg[x86.RSP], m.reg[x86.RBP] = number(sp, 64, false), number(sp+64, 64, false)
		for addr := uint64(0x1000); len(code) > 0; m.step++ {
			in := x86.Decode(code[:min(len(code), 15)], addr)
			if in.Kind == cpu.Next {
				m.execute(code[:min(len(code), 15)], &in)
			} else if in.Kind == cpu.Branch {
				m.branches(code[:min(len(code), 15)])
			}
			n := max(in.Len, 1)
			code, addr = code[min(n, len(code)):], addr+uint64(n)
		}
		for r, v := range m.reg {
			switch v.Bits {
			case 0, 8, 16, 32, 64:
			default:
				t.Fatalf("register %d has %d bits", r, v.Bits)
			}
			if v.Number&^mask(v.Bits) != 0 {
				t.Fatalf("register %d: %#x has more than %d bits", r, v.Number, v.Bits)
			}
		}
	})
}
