package unwind

import (
	"bytes"
	"encoding/binary"
	"testing"

	"laggard/intake/stopped"
)

// scopeOf is a frame at which RBX is 100 and RSP 40, called from one with RSP 64; of the memory each byte
// is its own address.
func scopeOf(base ...byte) *Scope {
	memory := make([]byte, 256)
	for i := range memory {
		memory[i] = byte(i)
	}
	s := &Scope{
		Frame: &Frame{Module: &stopped.Module{Bias: 1000}}, Caller: &Frame{Machine: stopped.X86}, Base: base,
		Memory: bytes.NewReader(memory),
	}
	s.Frame.Registers.Set(stopped.RBX, 100)
	s.Frame.Registers.Set(stopped.RSP, 40)
	s.Caller.Registers.Set(stopped.RSP, 64)
	return s
}

func TestFind(t *testing.T) {
	const sub8, sub4 = 0x78, 0x7c // -8 and -4 in one byte
	at := func(a uint64) *Datum { return &Datum{Address: a} }
	is := func(v int64) *Datum { return &Datum{Value: bytesOf(uint64(v))} }
	frameOf := []byte{exprCFA}
	tests := []struct {
		name string
		base []byte
		expr []byte
		want *Datum // nil: it is not known
	}{
		{"in a register", nil, []byte{exprReg0 + stopped.RBX}, is(100)},
		{"in one that is not known", nil, []byte{exprReg0 + stopped.RAX}, nil},
		{"in two parts", nil, []byte{exprReg0 + stopped.RBX, 0x93, 4}, nil},
		{"from the frame address", frameOf, []byte{exprFbreg, sub8}, at(56)},
		{"from a register as the frame base", []byte{exprReg0 + stopped.RSP}, []byte{exprFbreg, sub4}, at(36)},
		{"from no frame base", nil, []byte{exprFbreg, sub4}, nil},
		{"from a frame base that needs itself", []byte{exprFbreg, 0}, []byte{exprFbreg, 0}, nil},
		{"behind a pointer", frameOf, []byte{exprFbreg, sub8, exprDeref}, at(0x3f3e3d3c3b3a3938)},
		{"behind two bytes", nil, []byte{exprBreg0 + stopped.RSP, 0, exprDerefSize, 2}, at(0x2928)},
		{"at an address of the file", nil, []byte{exprAddr, 16, 0, 0, 0, 0, 0, 0, 0}, at(1016)},
		{"computed", nil, []byte{exprBreg0 + stopped.RBX, 0, exprLit0 + 3, exprMinus, exprValue}, is(97)},
		{"negated", nil, []byte{exprLit0 + 7, exprNeg, exprValue}, is(-7)},
		{"negated bits", nil, []byte{exprLit0 + 7, exprNot, exprValue}, is(-8)},
		{"without a sign", nil, []byte{exprConst1s, 0xf9, exprAbs, exprValue}, is(7)},
		{"divided", nil, []byte{exprConst1s, 0xf9, exprLit0 + 2, exprDiv, exprValue}, is(-3)},
		{"divided by zero", nil, []byte{exprLit0 + 7, exprLit0, exprDiv, exprValue}, nil},
		{"the least number divided by -1", nil, []byte{
			exprConst8s, 0, 0, 0, 0, 0, 0, 0, 0x80, exprConst1s, 0xff, exprDiv, exprValue}, is(-1 << 63)},
		{"the rest by zero", nil, []byte{exprLit0 + 7, exprLit0, exprMod, exprValue}, nil},
		{"shifted", nil, []byte{exprConst1s, 0xf8, exprLit0 + 1, exprShra, exprValue}, is(-4)},
		{"a constant", nil, []byte{exprImplicit, 4, 1, 2, 3, 4}, &Datum{Value: []byte{1, 2, 3, 4}}},
		{"a constant that is cut", nil, []byte{exprImplicit, 4, 1, 2}, nil},
		{"as it was at the entry", nil, []byte{0xa3, 1, exprReg0 + stopped.RBX, exprValue}, nil},
		{"behind a value", nil, []byte{exprLit0, exprValue, exprDeref}, nil},
		{"of nothing", nil, []byte{exprPlus}, nil},
		{"nowhere", nil, nil, nil},
	}
	for _, test := range tests {
		got, ok := scopeOf(test.base...).Find(test.expr)
		switch {
		case ok != (test.want != nil):
			t.Errorf("%s: known: %v", test.name, ok)
		case ok && (got.Address != test.want.Address || !bytes.Equal(got.Value, test.want.Value)):
			t.Errorf("%s: %+v, want %+v", test.name, got, *test.want)
		}
	}
	lone := scopeOf(exprCFA)
	lone.Caller = nil
	if _, ok := lone.Find([]byte{exprFbreg, 0}); ok {
		t.Error("the frame address of the outermost frame is known")
	}
}

// FuzzFind: an expression of any bytes ends.
func FuzzFind(f *testing.F) {
	f.Add([]byte{exprFbreg, 0x78}, []byte{exprCFA})
	f.Add(binary.LittleEndian.AppendUint64([]byte{exprAddr}, 16), []byte{exprReg0 + stopped.RSP})
	f.Add([]byte{exprLit0 + 7, exprDup, exprMul, exprDerefSize, 9, exprValue}, []byte{})
	f.Fuzz(func(t *testing.T, expr, base []byte) {
		if d, ok := scopeOf(base...).Find(expr); ok && d.Value != nil && d.Address != 0 {
			t.Fatalf("both a value and a place: %+v", d)
		}
	})
}
