package ptrace

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func decodeHex(t *testing.T, text string) []byte {
	t.Helper()
	return musttest.Get(hex.DecodeString(strings.ReplaceAll(text, " ", "")))(t)
}

// Lengths and places of relative addresses, as an assembler made them.
func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		code string
		want shape
	}{
		{"55", shape{size: 1}},
		{"f30f1efa", shape{size: 4}},
		{"4157", shape{size: 2}},
		{"488b0500000000", shape{7, 3, 4}},
		{"48833d0000000007", shape{8, 3, 4}},
		{"e800000000", shape{5, 1, 4}},
		{"7400", shape{2, 1, 1}},
		{"0f8400000000", shape{6, 2, 4}},
		{"e300", shape{2, 1, 1}},
		{"c5fe6f0500000000", shape{8, 4, 4}},           // vmovdqu ymm0, [rip]
		{"c5f877", shape{size: 3}},                     // vzeroupper
		{"c4e3710f0500000000 01", shape{10, 5, 4}},     // vpalignr xmm0, xmm1, [rip], 1
		{"c4e2791804 24", shape{size: 6}},              // vbroadcastss xmm0, [rsp]
		{"c5f970c04e", shape{size: 5}},                 // vpshufd xmm0, xmm0, 0x4e
		{"c5fb104708", shape{size: 5}},                 // vmovsd xmm0, [rdi+8]
		{"c5fb1084 2400010000", shape{size: 9}},        // vmovsd xmm0, [rsp+0x100]
		{"c5fb1004 2500010000", shape{size: 9}},        // vmovsd xmm0, [0x100]
		{"62f1fd486f0500000000", shape{10, 6, 4}},      // vmovdqa64 zmm0, [rip]
		{"62f17c48c6 c001", shape{size: 7}},            // vshufps zmm0, zmm0, zmm0, 1
		{"62f37d4825c0ff", shape{size: 7}},             // vpternlogd zmm0, zmm0, zmm0, 0xff
		{"62f17c481044 2401 90909090", shape{size: 8}}, // vmovups zmm0, [rsp+0x40]
	} {
		got := musttest.Get(measureInstruction(decodeHex(t, c.code)))(t)
		checktest.Equal(t, c.want, got, c.code)
	}
}

func TestMoveRefuses(t *testing.T) {
	for _, code := range []string{"cc", "06", "c7f800000000", "", "48"} {
		checktest.Fails(moveX86(decodeHex(t, code), 0x1000, 0x2000))(t, ErrInstruction, code)
	}
	checktest.Fails(moveX86(decodeHex(t, "488b0500000000"), 0x1000, 1<<40))(t, ErrInstruction, "out of reach")
}

// Whatever bytes are moved: no panic, and what comes out fits and is code.
func FuzzMove(f *testing.F) {
	for _, seed := range []string{"55", "e8", "488b05", "c5fe6f05", "62f1fd486f05", "0f84", "e3", "ff15", "67e3",
		"c4e3710f05"} {
		code := musttest.Get(hex.DecodeString(seed))(f)
		f.Add(append(code, make([]byte, 8)...), uint64(0x401000), uint64(0x301000))
	}
	f.Fuzz(func(t *testing.T, code []byte, from, to uint64) {
		before := bytes.Clone(code)
		out, err := moveX86(code, from, to)
		if !bytes.Equal(code, before) {
			t.Error("the original was changed")
		}
		if err != nil {
			if out != nil {
				t.Error("code and an error")
			}
			return
		}
		if len(out) > slotSize {
			t.Errorf("% x becomes %d bytes", code, len(out))
		}
		if _, ok := measureVector(code); ok || code[0] == 0xf3 {
			return // not for this decoder
		}
		if _, err := x86asm.Decode(out, 64); err != nil {
			t.Errorf("% x becomes % x: %v", code, out, err)
		}
	})
}
