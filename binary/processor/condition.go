package processor

// Flags of x86-64, in RFLAGS (Intel SDM volume 1, section 3.4.3).
const (
	X86Carry    = 1 << 0
	X86Parity   = 1 << 2
	X86Zero     = 1 << 6
	X86Sign     = 1 << 7
	X86Overflow = 1 << 11
)

// X86Holds reports whether a condition of x86-64, by its number in the instruction, holds (Intel SDM volume 1,
// appendix B).
func X86Holds(condition byte, flags uint64) bool {
	is := func(flag uint64) bool { return flags&flag != 0 }
	less := is(X86Sign) != is(X86Overflow)
	holds := [8]bool{
		is(X86Overflow), is(X86Carry), is(X86Zero), is(X86Carry | X86Zero), is(X86Sign), is(X86Parity), less,
		is(X86Zero) || less,
	}[condition>>1&7]
	return holds != (condition&1 == 1)
}

// Flags of AArch64, in the order of NZCV (Arm Architecture Reference Manual, C5.2.10), shifted to the right.
const (
	ArmOverflow = 1 << iota
	ArmCarry
	ArmZero
	ArmNegative
)

// ArmHolds reports whether a condition of AArch64, by its number in the instruction, holds (Arm Architecture
// Reference Manual, C1.2.4).
func ArmHolds(condition uint32, nzcv uint64) bool {
	is := func(flag uint64) bool { return nzcv&flag != 0 }
	z, c, n, v := is(ArmZero), is(ArmCarry), is(ArmNegative), is(ArmOverflow)
	holds := [8]bool{z, c, n, v, c && !z, n == v, n == v && !z, true}[condition>>1&7]
	return holds != (condition&1 == 1) || condition>>1&7 == 7
}

// ArmBranch is a direct branch of AArch64.
type ArmBranch struct {
	Offset int64  // of the target from the branch, in bytes
	Mask   uint32 // the bits of the instruction that hold the offset
	Kind   ArmBranchKind
}

// ArmBranchKind says when a direct branch is taken.
type ArmBranchKind uint8

// The kinds of direct branches.
const (
	ArmAlways     ArmBranchKind = iota + 1 // b
	ArmCall                                // bl
	ArmIfFlags                             // b.cond, bc.cond
	ArmIfRegister                          // cbz, cbnz
	ArmIfBit                               // tbz, tbnz
)

// Conditional reports whether the branch may not be taken.
func (b ArmBranch) Conditional() bool { return b.Kind >= ArmIfFlags }

// DecodeArmBranch decodes a direct branch (Arm Architecture Reference Manual, C4.1.94), false for another instruction.
func DecodeArmBranch(w uint32) (ArmBranch, bool) {
	at := func(kind ArmBranchKind, lo, n uint) (ArmBranch, bool) {
		return ArmBranch{int64(int32(w<<(32-lo-n))>>(32-n)) * 4, (1<<n - 1) << lo, kind}, true
	}
	switch {
	case w>>26 == 0b000101:
		return at(ArmAlways, 0, 26)
	case w>>26 == 0b100101:
		return at(ArmCall, 0, 26)
	case w>>24 == 0x54:
		return at(ArmIfFlags, 5, 19)
	case w>>25&0x3f == 0b011010:
		return at(ArmIfRegister, 5, 19)
	case w>>25&0x3f == 0b011011:
		return at(ArmIfBit, 5, 14)
	}
	return ArmBranch{}, false
}

// Taken reports whether a conditional branch w of this kind is taken, from the general registers and NZCV.
func (b ArmBranch) Taken(w uint32, registers []uint64, nzcv uint64) bool {
	if b.Kind == ArmIfFlags {
		return ArmHolds(w&15, nzcv)
	}
	value := uint64(0)
	if n := w & 31; n < 31 {
		value = registers[n]
	}
	ifSet := w>>24&1 == 1
	if b.Kind == ArmIfBit {
		bit := w>>31<<5 | w>>19&31
		return (value>>bit&1 == 1) == ifSet
	}
	if w>>31 == 0 {
		value &= 1<<32 - 1
	}
	return (value != 0) == ifSet
}
