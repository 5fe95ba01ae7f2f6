package x86

import (
	"testing"

	"laggard/slicing/cpu"
)

// TestEffects holds, for instructions of every kind, what is read and written
// against the processor's manual.
func TestEffects(t *testing.T) {
	set := cpu.Set
	for _, c := range []struct {
		what      string
		code      []byte
		kind      cpu.Kind
		def, use  cpu.RegSet
		load, out bool // memory is read, written
		move      cpu.Move
	}{
		{"endbr64", []byte{0xf3, 0x0f, 0x1e, 0xfa}, cpu.Next, set(), set(), false, false, cpu.NoMove},
		{"mov %rax,%rbx", []byte{0x48, 0x89, 0xc3}, cpu.Next, set(RBX), set(RAX), false, false, cpu.Copy},
		{"mov $5,%ecx", []byte{0xb9, 5, 0, 0, 0}, cpu.Next, set(RCX), set(), false, false, cpu.SetImm},
		{"xor %edx,%edx", []byte{0x31, 0xd2}, cpu.Next, set(RDX, Flags), set(), false, false, cpu.SetImm},
		{"pxor %xmm1,%xmm1", []byte{0x66, 0x0f, 0xef, 0xc9}, cpu.Next, set(X0 + 1), set(), false, false,
			cpu.NoMove},
		{"add %rsi,%rdi", []byte{0x48, 0x01, 0xf7}, cpu.Next, set(RDI, Flags), set(RDI, RSI), false, false,
			cpu.AddReg},
		{"lea 8(%rax,%rcx,4),%rdx", []byte{0x48, 0x8d, 0x54, 0x88, 8}, cpu.Next, set(RDX), set(RAX, RCX), false, false,
			cpu.Lea},
		{"mov 8(%rax),%rcx", []byte{0x48, 0x8b, 0x48, 8}, cpu.Next, set(RCX), set(), true, false,
			cpu.LoadReg},
		{"mov %rcx,8(%rax)", []byte{0x48, 0x89, 0x48, 8}, cpu.Next, set(), set(RCX), false, true,
			cpu.StoreReg},
		{"movl $1,-4(%rbp)", []byte{0xc7, 0x45, 0xfc, 1, 0, 0, 0}, cpu.Next, set(), set(), false, true,
			cpu.StoreImm},
		{"addl $1,-4(%rbp)", []byte{0x83, 0x45, 0xfc, 1}, cpu.Next, set(Flags), set(), true, true,
			cpu.NoMove},
		{"cmp $3,%eax", []byte{0x83, 0xf8, 3}, cpu.Next, set(Flags), set(RAX), false, false, cpu.NoMove},
		{"test %eax,%eax", []byte{0x85, 0xc0}, cpu.Next, set(Flags), set(RAX), false, false, cpu.NoMove},
		{"cmovne %ecx,%eax", []byte{0x0f, 0x45, 0xc1}, cpu.Next, set(RAX), set(RAX, RCX, Flags), false, false,
			cpu.NoMove},
		{"sete %al", []byte{0x0f, 0x94, 0xc0}, cpu.Next, set(RAX), set(Flags), false, false, cpu.NoMove},
		{"idiv %ecx", []byte{0xf7, 0xf9}, cpu.Next, set(RAX, RDX, Flags), set(RAX, RDX, RCX), false, false,
			cpu.NoMove},
		{"imul %ecx,%eax", []byte{0x0f, 0xaf, 0xc1}, cpu.Next, set(RAX, Flags), set(RAX, RCX), false, false,
			cpu.NoMove},
		{"imul $6,%ecx,%eax", []byte{0x6b, 0xc1, 6}, cpu.Next, set(RAX, Flags), set(RCX), false, false,
			cpu.NoMove},
		{"cltd", []byte{0x99}, cpu.Next, set(RDX), set(RAX), false, false, cpu.NoMove},
		{"push %rbx", []byte{0x53}, cpu.Next, set(), set(RBX), false, true, cpu.PushReg},
		{"pop %rbx", []byte{0x5b}, cpu.Next, set(RBX), set(), true, false, cpu.PopReg},
		{"leave", []byte{0xc9}, cpu.Next, set(RBP), set(), true, false, cpu.LeaveMove},
		{"rep stos", []byte{0xf3, 0x48, 0xab}, cpu.Next, set(RDI, RCX), set(RAX, RCX), false, true,
			cpu.NoMove},
		{"rep movsq", []byte{0xf3, 0x48, 0xa5}, cpu.Next, set(RDI, RSI, RCX), set(RCX), true, true,
			cpu.NoMove},
		{"punpcklqdq %xmm2,%xmm0", []byte{0x66, 0x0f, 0x6c, 0xc2}, cpu.Next, set(X0), set(X0, X0+2), false, false,
			cpu.JoinHigh},
		{"movhps 8(%rax),%xmm0", []byte{0x0f, 0x16, 0x40, 8}, cpu.Next, set(X0), set(X0), true, false, cpu.JoinHigh},
		{"movhps %xmm0,8(%rax)", []byte{0x0f, 0x17, 0x40, 8}, cpu.Next, set(), set(X0), false, true, cpu.NoMove},
		{"movlps %xmm0,8(%rax)", []byte{0x0f, 0x13, 0x40, 8}, cpu.Next, set(), set(X0), false, true, cpu.NoMove},
		{"movlps 8(%rax),%xmm0", []byte{0x0f, 0x12, 0x40, 8}, cpu.Next, set(X0), set(X0), true, false, cpu.NoMove},
		{"pinsrq $1,%rax,%xmm0", []byte{0x66, 0x48, 0x0f, 0x3a, 0x22, 0xc0, 1}, cpu.Next, set(X0), set(X0, RAX), false,
			false, cpu.JoinHigh},
		{"pinsrq $0,%rax,%xmm0", []byte{0x66, 0x48, 0x0f, 0x3a, 0x22, 0xc0, 0}, cpu.Next, set(X0), set(X0, RAX), false,
			false, cpu.NoMove},
		{"je", []byte{0x74, 4}, cpu.Branch, set(), set(Flags), false, false, cpu.NoMove},
		{"call", []byte{0xe8, 0, 0, 0, 0}, cpu.Call, set(), set(), false, false, cpu.NoMove},
		{"call *%rax", []byte{0xff, 0xd0}, cpu.Call, set(), set(RAX), false, false, cpu.NoMove},
		{"notrack jmp *%rax", []byte{0x3e, 0xff, 0xe0}, cpu.Jump, set(), set(RAX), false, false, cpu.NoMove},
		{"ret", []byte{0xc3}, cpu.Return, set(), set(), false, false, cpu.NoMove},
		{"ud2", []byte{0x0f, 0x0b}, cpu.Halt, set(), set(), false, false, cpu.NoMove},
		{"vaddsd %xmm2,%xmm1,%xmm0", []byte{0xc5, 0xf3, 0x58, 0xc2}, cpu.Next, set(X0), set(X0+1, X0+2), false, false,
			cpu.NoMove},
		{"vfmadd231sd %xmm2,%xmm1,%xmm0", []byte{0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, cpu.Next, set(X0), set(X0, X0+1, X0+2),
			false, false, cpu.NoMove},
		{"fldl 8(%rax)", []byte{0xdd, 0x40, 8}, cpu.Next, set(FPU), set(FPU), true, false, cpu.NoMove},
		{"fstpl 8(%rax)", []byte{0xdd, 0x58, 8}, cpu.Next, set(FPU), set(FPU), false, true, cpu.NoMove},
		{"nopl 0(%rax)", []byte{0x0f, 0x1f, 0x40, 0}, cpu.Next, set(), set(), false, false, cpu.NoMove},
	} {
		in := Decode(c.code, 0x1000)
		if in.Len != len(c.code) || in.Kind != c.kind || in.Def != c.def || in.Use != c.use ||
			(in.Load != nil) != c.load || (in.Store != nil) != c.out || in.Move != c.move {
			t.Errorf("%s: %+v, load %v, store %v", c.what, in, in.Load, in.Store)
		}
	}
}

// FuzzDecode: any bytes give an instruction that lies within them, or Bad.
func FuzzDecode(f *testing.F) {
	for _, seed := range [][]byte{{0x90}, {0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}, {0xc4, 0xe2, 0x7d, 0x18},
		{0xf3, 0x0f, 0x1e}, {0x0f, 0x38}, {0x67, 0x8d, 0x04}, {}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		in := Decode(code, 0x400000)
		if in.Len < 1 || in.Len > max(len(code), 1) {
			t.Fatalf("% x: length %d", code, in.Len)
		}
		if !in.Kills.Without(in.Def).Empty() || in.Def.Or(in.Use).Has(RSP) {
			t.Fatalf("% x: %+v", code, in)
		}
	})
}
