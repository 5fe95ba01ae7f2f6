package arm64

// Test is what a conditional branch looks at.
type Test struct {
	If    Condition // where Taken is nil
	Of    Part
	Taken func(x uint64) bool // whether it is taken by what Of has
}

// DecodeTest returns what a conditional branch looks at; ok is false of another instruction.
func DecodeTest(code []byte) (out Test, ok bool) {
	d, ok := readInstruction(code, 0)
	if !ok {
		return out, false
	}
	not := d.bits(24, 1) == 1
	switch {
	case d.bits(25, 6) == 0b011010: // cbz, cbnz
		return Test{Of: Part{d.x(rd), d.widthBits()}, Taken: func(x uint64) bool { return (x == 0) != not }}, true
	case d.bits(25, 6) == 0b011011: // tbz, tbnz
		bit := uint(d.bits(31, 1)<<5 | d.bits(19, 5))
		zero := func(x uint64) bool { return (x>>bit&1 == 0) != not }
		return Test{Of: Part{d.x(rd), int(bit) + 1}, Taken: zero}, true
	case d.bits(24, 8) == 0x54:
		return Test{If: Condition(d.bits(0, 4))}, true
	}
	return out, false
}

// Access is how a load or store of one register or of two widens, beside what its cpu.Mem says.
type Access struct {
	Index  int  // how many bits of the index count
	Signed bool // the index has a sign
	Into   int  // the bits that a number which is read with its sign gets
}

// DecodeAccess returns that of an instruction that reads or writes memory.
func DecodeAccess(code []byte) Access {
	out := Access{Index: 64, Into: 64}
	d, _ := readInstruction(code, 0)
	one := d.bits(27, 3) == 0b111
	ordered := d.bits(24, 6) == 0b011001
	if (one || ordered) && d.bits(26, 1) == 0 && d.bits(22, 2) == 3 {
		out.Into = 32
	}
	if one && d.bits(24, 1) == 0 && d.bits(21, 1) == 1 && d.bits(10, 2) == 2 {
		out.Signed = d.bits(15, 1) == 1
		if d.bits(13, 1) == 0 {
			out.Index = 32
		}
	}
	return out
}
