package expression

import (
	"bytes"
	"encoding/binary"
	"testing"

	"laggard/binary/processor"
)

// scopeOf is a frame at which RBX is 100 and RSP 40, called from one with RSP 64; of the memory each byte
// is its own address.
func scopeOf(base ...byte) *Scope {
	memory := make([]byte, 256)
	for i := range memory {
		memory[i] = byte(i)
	}
	var registers processor.Registers
	registers.Set(processor.RBX, 100)
	registers.Set(processor.RSP, 40)
	return &Scope{
		Registers: &registers, Memory: bytes.NewReader(memory), Bias: 1000, CFA: 64, HasCFA: true, Base: base,
	}
}

func TestLocate(t *testing.T) {
	const sub8, sub4 = 0x78, 0x7c // -8 and -4 in one byte
	at := func(a uint64) *Datum { return &Datum{Address: a} }
	is := func(v int64) *Datum { return &Datum{Value: bytesOf(uint64(v))} }
	frameOf := []byte{CFA}
	tests := []struct {
		name string
		base []byte
		expr []byte
		want *Datum // nil: it is not known
	}{
		{"in a register", nil, []byte{Reg0 + processor.RBX}, is(100)},
		{"in one that is not known", nil, []byte{Reg0 + processor.RAX}, nil},
		{"in two parts", nil, []byte{Reg0 + processor.RBX, 0x93, 4}, nil},
		{"from the frame address", frameOf, []byte{Fbreg, sub8}, at(56)},
		{"from a register as the frame base", []byte{Reg0 + processor.RSP}, []byte{Fbreg, sub4}, at(36)},
		{"from no frame base", nil, []byte{Fbreg, sub4}, nil},
		{"from a frame base that needs itself", []byte{Fbreg, 0}, []byte{Fbreg, 0}, nil},
		{"behind a pointer", frameOf, []byte{Fbreg, sub8, Deref}, at(0x3f3e3d3c3b3a3938)},
		{"behind two bytes", nil, []byte{Breg0 + processor.RSP, 0, DerefSize, 2}, at(0x2928)},
		{"at an address of the file", nil, []byte{Addr, 16, 0, 0, 0, 0, 0, 0, 0}, at(1016)},
		{"computed", nil, []byte{Breg0 + processor.RBX, 0, Lit0 + 3, Minus, Value}, is(97)},
		{"negated", nil, []byte{Lit0 + 7, Neg, Value}, is(-7)},
		{"negated bits", nil, []byte{Lit0 + 7, Not, Value}, is(-8)},
		{"without a sign", nil, []byte{Const1s, 0xf9, Abs, Value}, is(7)},
		{"divided", nil, []byte{Const1s, 0xf9, Lit0 + 2, Div, Value}, is(-3)},
		{"divided by zero", nil, []byte{Lit0 + 7, Lit0, Div, Value}, nil},
		{"the least number divided by -1", nil, []byte{
			Const8s, 0, 0, 0, 0, 0, 0, 0, 0x80, Const1s, 0xff, Div, Value}, is(-1 << 63)},
		{"the rest by zero", nil, []byte{Lit0 + 7, Lit0, Mod, Value}, nil},
		{"shifted", nil, []byte{Const1s, 0xf8, Lit0 + 1, Shra, Value}, is(-4)},
		{"a constant", nil, []byte{Implicit, 4, 1, 2, 3, 4}, &Datum{Value: []byte{1, 2, 3, 4}}},
		{"a constant that is cut", nil, []byte{Implicit, 4, 1, 2}, nil},
		{"as it was at the entry", nil, []byte{0xa3, 1, Reg0 + processor.RBX, Value}, nil},
		{"behind a value", nil, []byte{Lit0, Value, Deref}, nil},
		{"of nothing", nil, []byte{Plus}, nil},
		{"nowhere", nil, nil, nil},
	}
	for _, test := range tests {
		got, ok := scopeOf(test.base...).Locate(test.expr)
		switch {
		case ok != (test.want != nil):
			t.Errorf("%s: known: %v", test.name, ok)
		case ok && (got.Address != test.want.Address || !bytes.Equal(got.Value, test.want.Value)):
			t.Errorf("%s: %+v, want %+v", test.name, got, *test.want)
		}
	}
	lone := scopeOf(CFA)
	lone.HasCFA = false
	if _, ok := lone.Locate([]byte{Fbreg, 0}); ok {
		t.Error("the frame address of the outermost frame is known")
	}
}

func TestEvaluate(t *testing.T) {
	var regs processor.Registers
	regs.Set(processor.RSP, 0x1008)
	m := bytes.NewReader(append(make([]byte, 0x1000), 1, 0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 0, 0, 0, 0))
	scope := Scope{Registers: &regs, Memory: m}
	for _, c := range []struct {
		expr []byte
		want uint64
		ok   bool
	}{
		{[]byte{Breg0 + 7, 0, Deref}, 42, true},
		{[]byte{Breg0 + 7, 0x78, Deref}, 1, true}, // -8
		{[]byte{Breg0 + 6, 0}, 0, false},          // rbp is not known
		{[]byte{Lit0 + 5, Lit0 + 3, Ge, Lit0 + 3, Shl}, 8, true},
		{[]byte{Const1s, 0xff, PlusConst, 3}, 2, true},
		{[]byte{Plus}, 0, false},
		{[]byte{Const4u, 1}, 0, false},
		{nil, 0, false},
	} {
		if v, ok := scope.Evaluate(c.expr); ok != c.ok || ok && v != c.want {
			t.Errorf("% x gives %d, %v", c.expr, v, ok)
		}
	}
}

// FuzzLocate: an expression of any bytes ends.
func FuzzLocate(f *testing.F) {
	f.Add([]byte{Fbreg, 0x78}, []byte{CFA})
	f.Add(binary.LittleEndian.AppendUint64([]byte{Addr}, 16), []byte{Reg0 + processor.RSP})
	f.Add([]byte{Lit0 + 7, Dup, Mul, DerefSize, 9, Value}, []byte{})
	f.Fuzz(func(t *testing.T, expr, base []byte) {
		if d, ok := scopeOf(base...).Locate(expr); ok && d.Value != nil && d.Address != 0 {
			t.Fatalf("both a value and a place: %+v", d)
		}
	})
}
