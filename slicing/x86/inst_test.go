package x86

import "testing"

// TestEffects holds, for instructions of every kind, what is read and written
// against the processor's manual.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		what      string
		code      []byte
		kind      Kind
		def, use  RegSet
		load, out bool // memory is read, written
		move      Move
	}{
		{"endbr64", []byte{0xf3, 0x0f, 0x1e, 0xfa}, Next, 0, 0, false, false, NoMove},
		{"mov %rax,%rbx", []byte{0x48, 0x89, 0xc3}, Next, Set(RBX), Set(RAX), false, false, Copy},
		{"mov $5,%ecx", []byte{0xb9, 5, 0, 0, 0}, Next, Set(RCX), 0, false, false, SetImm},
		{"xor %edx,%edx", []byte{0x31, 0xd2}, Next, Set(RDX, Flags), 0, false, false, SetImm},
		{"pxor %xmm1,%xmm1", []byte{0x66, 0x0f, 0xef, 0xc9}, Next, Set(X0 + 1), 0, false, false, NoMove},
		{"add %rsi,%rdi", []byte{0x48, 0x01, 0xf7}, Next, Set(RDI, Flags), Set(RDI, RSI), false, false, AddReg},
		{"lea 8(%rax,%rcx,4),%rdx", []byte{0x48, 0x8d, 0x54, 0x88, 8}, Next, Set(RDX), Set(RAX, RCX), false, false,
			Lea},
		{"mov 8(%rax),%rcx", []byte{0x48, 0x8b, 0x48, 8}, Next, Set(RCX), 0, true, false, LoadReg},
		{"mov %rcx,8(%rax)", []byte{0x48, 0x89, 0x48, 8}, Next, 0, Set(RCX), false, true, StoreReg},
		{"movl $1,-4(%rbp)", []byte{0xc7, 0x45, 0xfc, 1, 0, 0, 0}, Next, 0, 0, false, true, StoreImm},
		{"addl $1,-4(%rbp)", []byte{0x83, 0x45, 0xfc, 1}, Next, Set(Flags), 0, true, true, NoMove},
		{"cmp $3,%eax", []byte{0x83, 0xf8, 3}, Next, Set(Flags), Set(RAX), false, false, NoMove},
		{"test %eax,%eax", []byte{0x85, 0xc0}, Next, Set(Flags), Set(RAX), false, false, NoMove},
		{"cmovne %ecx,%eax", []byte{0x0f, 0x45, 0xc1}, Next, Set(RAX), Set(RAX, RCX, Flags), false, false, NoMove},
		{"sete %al", []byte{0x0f, 0x94, 0xc0}, Next, Set(RAX), Set(Flags), false, false, NoMove},
		{"idiv %ecx", []byte{0xf7, 0xf9}, Next, Set(RAX, RDX, Flags), Set(RAX, RDX, RCX), false, false, NoMove},
		{"imul %ecx,%eax", []byte{0x0f, 0xaf, 0xc1}, Next, Set(RAX, Flags), Set(RAX, RCX), false, false, NoMove},
		{"imul $6,%ecx,%eax", []byte{0x6b, 0xc1, 6}, Next, Set(RAX, Flags), Set(RCX), false, false, NoMove},
		{"cltd", []byte{0x99}, Next, Set(RDX), Set(RAX), false, false, NoMove},
		{"push %rbx", []byte{0x53}, Next, 0, Set(RBX), false, true, PushReg},
		{"pop %rbx", []byte{0x5b}, Next, Set(RBX), 0, true, false, PopReg},
		{"leave", []byte{0xc9}, Next, Set(RBP), 0, true, false, LeaveMove},
		{"rep stos", []byte{0xf3, 0x48, 0xab}, Next, Set(RDI, RCX), Set(RAX, RCX), false, true, NoMove},
		{"rep movsq", []byte{0xf3, 0x48, 0xa5}, Next, Set(RDI, RSI, RCX), Set(RCX), true, true, NoMove},
		{"je", []byte{0x74, 4}, Branch, 0, Set(Flags), false, false, NoMove},
		{"call", []byte{0xe8, 0, 0, 0, 0}, Call, 0, 0, false, false, NoMove},
		{"call *%rax", []byte{0xff, 0xd0}, Call, 0, Set(RAX), false, false, NoMove},
		{"notrack jmp *%rax", []byte{0x3e, 0xff, 0xe0}, Jump, 0, Set(RAX), false, false, NoMove},
		{"ret", []byte{0xc3}, Return, 0, 0, false, false, NoMove},
		{"ud2", []byte{0x0f, 0x0b}, Halt, 0, 0, false, false, NoMove},
		{"vaddsd %xmm2,%xmm1,%xmm0", []byte{0xc5, 0xf3, 0x58, 0xc2}, Next, Set(X0), Set(X0+1, X0+2), false, false,
			NoMove},
		{"vfmadd231sd %xmm2,%xmm1,%xmm0", []byte{0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, Next, Set(X0), Set(X0, X0+1, X0+2),
			false, false, NoMove},
		{"fldl 8(%rax)", []byte{0xdd, 0x40, 8}, Next, Set(FPU), Set(FPU), true, false, NoMove},
		{"fstpl 8(%rax)", []byte{0xdd, 0x58, 8}, Next, Set(FPU), Set(FPU), false, true, NoMove},
		{"nopl 0(%rax)", []byte{0x0f, 0x1f, 0x40, 0}, Next, 0, 0, false, false, NoMove},
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
		if in.Kills&^in.Def != 0 || (in.Def | in.Use).Has(RSP) {
			t.Fatalf("% x: %+v", code, in)
		}
	})
}
