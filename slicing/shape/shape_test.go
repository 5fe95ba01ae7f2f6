package shape

import (
	"testing"

	"laggard/symbol"
)

var (
	number = &symbol.Type{Kind: "int", Size: 4}
	pair   = &symbol.Type{Kind: "pair", Size: 8, Fields: []symbol.Field{{Type: number}, {Offset: 4, Type: number}}}
	row    = &symbol.Type{Kind: "pair[3]", Size: 24, Elem: pair}
	table  = &symbol.Type{Kind: "table", Size: 40, Fields: []symbol.Field{
		{Offset: 8, Type: row}, {Offset: 32, Type: pair},
	}}
	wide   = &symbol.Type{Kind: "wide", Size: 16, Fields: []symbol.Field{{Offset: 8, Type: row}}}
	either = &symbol.Type{Kind: "|pair|other", Size: 8, Either: true,
		Fields: []symbol.Field{{Type: pair}, {Type: other}}}
	others = &symbol.Type{Kind: "|wide|pair", Size: 16, Either: true,
		Fields: []symbol.Field{{Type: wide}, {Type: pair}}}
	other = &symbol.Type{Kind: "other", Size: 8, Fields: []symbol.Field{{Type: number}}}
)

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   *symbol.Type
		lo, hi int64 // of a
		from   int64 // of b, four bytes
		shift  int64
		ok     bool
	}{
		{"the same field", pair, pair, 4, 8, 4, 0, true},
		{"another field", pair, pair, 0, 4, 4, 0, false},
		{"a field of a part", table, pair, 36, 40, 4, 0, true},
		{"another field of a part", table, pair, 32, 36, 4, 0, false},
		{"an element of an array", table, pair, 20, 24, 4, 0, true},
		{"several elements", table, pair, 12, 28, 4, -4, true},
		{"before all parts", table, pair, 0, 8, 4, 0, false},
		{"no part", table, other, 0, 40, 0, 0, false},
		{"only numbers in common", pair, other, 0, 8, 0, 0, false},
		{"one of several classes", either, pair, 4, 8, 4, 0, true},
		{"another field of one of several", either, pair, 0, 4, 4, 0, false},
		{"several classes and others, of which one is the same", either, others, 4, 8, 4, 0, true},
	} {
		all := New()
		a, b := Bytes{all.Of(c.a), c.lo, c.hi}, Bytes{all.Of(c.b), c.from, c.from + 4}
		shift, ok := a.CommonOffset(b)
		if ok != c.ok || ok && shift != c.shift {
			t.Errorf("%s: %d %v, want %d %v", c.name, shift, ok, c.shift, c.ok)
		}
		if back, again := b.CommonOffset(a); again != ok || ok && back != -shift {
			t.Errorf("%s, the other way: %d %v, want %d %v", c.name, back, again, -shift, ok)
		}
		if a.Overlaps(b) != ok || a.Overlaps(Bytes{}) {
			t.Errorf("%s: Meets says otherwise", c.name)
		}
	}
}

// Damaged debug information can have a type that is in itself.
func TestCycle(t *testing.T) {
	loop := &symbol.Type{Kind: "loop", Size: 8}
	loop.Fields = []symbol.Field{{Offset: 0, Type: loop}, {Offset: 4, Type: number}}
	all := New()
	if !(Bytes{all.Of(loop), 4, 8}).Overlaps(Bytes{all.Of(number), 0, 4}) {
		t.Error("the number in it is not found")
	}
}
