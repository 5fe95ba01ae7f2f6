package ptrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"

	"laggard/internal/checktest"
)

// disassemble disassembles code up to what is no instruction: a number that it loads.
func disassemble(code []byte) string {
	var out []string
	for ; len(code) >= 4; code = code[4:] {
		in, err := arm64asm.Decode(code)
		if err != nil || binary.LittleEndian.Uint32(code)>>16 == 0 {
			break
		}
		out = append(out, strings.Replace(arm64asm.GNUSyntax(in), ".+0xffffffffffff", "-", 1))
	}
	return strings.Join(out, "; ")
}

// Copies at 0x9000 of instructions at 0x5000, and the number behind them.
func TestMoveArm(t *testing.T) {
	for _, c := range []struct {
		word   uint32
		want   string
		number uint64
	}{
		{0xa9bf7bfd, "stp x29, x30, [sp,#-16]!; b -c000", 0},
		{0x14000002, "b -c008", 0},
		{0x94000002, "ldr x30, .+0x8; b -c004", 0x5004},
		{0xd63f0140, "ldr x30, .+0x8; br x10", 0x5004},
		{0x54000080, "b.eq .+0x8; b -c000; b -c008", 0},
		{0xb4000081, "cbz x1, .+0x8; b -c000; b -c008", 0},
		{0x37000081, "tbnz w1, #0, .+0x8; b -c000; b -c008", 0},
		{0x10000040, "ldr x0, .+0x8; b -c000", 0x5008},
		{0xb0000000, "ldr x0, .+0x8; b -c000", 0x6000},
		{0x58000040, "ldr x0, .+0xc; ldr x0, [x0]; b -bffc", 0x5008},
		{0x98000043, "ldr x3, .+0xc; ldrsw x3, [x3]; b -bffc", 0x5008},
		{0xd8000040, "b -c004", 0},
		{0xd65f03c0, "ret; b -c000", 0},
	} {
		out, err := moveArm(encodeWords(c.word), 0x5000, 0x9000)
		if err != nil {
			t.Errorf("%#x: %v", c.word, err)
			continue
		}
		if got := disassemble(out); !strings.HasPrefix(got, c.want) {
			t.Errorf("%#x: %s; want %s", c.word, got, c.want)
		}
		if c.number != 0 && binary.LittleEndian.Uint64(out[len(out)-8:]) != c.number {
			t.Errorf("%#x: % x does not end in %#x", c.word, out, c.number)
		}
	}
	for _, w := range []uint32{0, 0xd4200000, 0xd63f03c0, 0x1c000040} { // udf, brk, blr x30, ldr s0
		if _, err := moveArm(encodeWords(w), 0x5000, 0x9000); !errors.Is(err, ErrInstruction) {
			t.Errorf("%#x: %v", w, err)
		}
	}
	checktest.Fails(moveArm(encodeWords(0x14000002), 0x5000, 1<<40))(t, ErrInstruction, "out of reach")
}

func TestSavesLink(t *testing.T) {
	for w, want := range map[uint32]bool{
		0xa9bf7bfd: true, 0xa9057bfd: true, 0xf81f0ffe: true, 0xf9000bfe: true, // stp x29, x30; str x30
		0xa90153f3: false, 0xf9000be0: false, 0xa8c17bfd: false, 0xa9007c1e: false,
	} {
		if savesLinkRegister(w) != want {
			t.Errorf("%#x: %v", w, !want)
		}
	}
	for w, want := range map[uint32]bool{0xd503233f: false, 0xa9bf7bfd: false, 0xd65f03c0: true, 0x54000080: true} {
		if mayBranch(w) != want {
			t.Errorf("%#x leaves the line: %v", w, !want)
		}
	}
}

// Whatever instruction is moved: no panic, and what comes out fits.
func FuzzMoveArm(f *testing.F) {
	for _, seed := range []uint32{0xa9bf7bfd, 0x94000002, 0x54000080, 0x10000040, 0x58000040, 0xd63f0140} {
		f.Add(encodeWords(seed), uint64(0x401000), uint64(0x301000))
	}
	f.Fuzz(func(t *testing.T, code []byte, from, to uint64) {
		before := bytes.Clone(code)
		out, err := moveArm(code, from, to)
		if !bytes.Equal(code, before) {
			t.Error("the original was changed")
		}
		if (out == nil) == (err == nil) || len(out) > slotSize {
			t.Errorf("% x becomes % x, %v", code, out, err)
		}
	})
}
