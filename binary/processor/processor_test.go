package processor

import (
	"testing"

	"laggard/internal/checktest"
)

func TestConditions(t *testing.T) {
	registers := make([]uint64, 31)
	registers[1], registers[2] = 1, 1<<40
	const zero = ArmZero
	for _, c := range []struct {
		word  uint32
		flags uint64
		want  bool
	}{
		{0x54000080, zero, true}, {0x54000080, 0, false}, // b.eq
		{0x5400008b, ArmNegative, true}, {0x5400008b, 0, false}, // b.lt
		{0x54000088, ArmCarry, true}, {0x54000088, ArmCarry | zero, false}, // b.hi
		{0xb4000080, 0, true}, {0xb4000081, 0, false}, // cbz x0, x1
		{0x34000082, 0, true}, {0xb5000082, 0, true}, // cbz w2, cbnz x2
		{0x37000081, 0, true}, {0xb6400082, 0, false}, // tbnz w1, #0; tbz x2, #40
		{0xb400009f, 0, true}, // cbz xzr
	} {
		k, ok := DecodeArmBranch(c.word)
		if !ok || !k.Conditional() || k.Taken(c.word, registers, c.flags) != c.want || k.Offset != 16 {
			t.Errorf("%#x with flags %#x: %+v, %v, want %v", c.word, c.flags, k, ok, c.want)
		}
	}
	for w, want := range map[uint32]ArmBranch{
		0x14000002: {8, 0x3ffffff, ArmAlways}, 0x97fffffe: {-8, 0x3ffffff, ArmCall}, 0xd503201f: {},
	} {
		if got, ok := DecodeArmBranch(w); got != want || ok != (want.Kind > 0) || got.Conditional() {
			t.Errorf("%#x: %+v, %v", w, got, ok)
		}
	}
}

// TestX86Holds goes over all conditions with the flags that comparisons set.
func TestX86Holds(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags uint64
		hold  []byte
	}{
		{"equal", X86Zero | X86Parity, []byte{1, 3, 4, 6, 9, 10, 13, 14}},
		{"1 and 2", X86Carry | X86Sign, []byte{1, 2, 5, 6, 8, 11, 12, 14}},
		{"-1 and 1", X86Sign, []byte{1, 3, 5, 7, 8, 11, 12, 14}},
		{"the least number and 1", X86Overflow, []byte{0, 3, 5, 7, 9, 11, 12, 14}},
	} {
		hold := map[byte]bool{}
		for _, n := range c.hold {
			hold[n] = true
		}
		for n := range byte(16) {
			checktest.Equal(t, hold[n], X86Holds(n, c.flags), c.name, "condition", n, "holds")
		}
	}
}

func TestX86OperandLength(t *testing.T) {
	for _, c := range []struct {
		code []byte
		want int
	}{
		{[]byte{0xc0}, 1}, {[]byte{0x00}, 1}, {[]byte{0x05, 0, 0, 0, 0}, 5}, {[]byte{0x45, 8}, 2},
		{[]byte{0x85, 0, 0, 0, 0}, 5}, {[]byte{0x04, 0x24}, 2}, {[]byte{0x04, 0x25, 0, 0, 0, 0}, 6},
		{[]byte{0x44, 0x25, 8}, 3}, {nil, 16}, {[]byte{0x04}, 16},
	} {
		if got := X86OperandLength(c.code); got != c.want {
			t.Errorf("% x: %d, want %d", c.code, got, c.want)
		}
	}
}
