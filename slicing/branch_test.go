package slicing

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

// TestLoopFirst: a jump that ends a loop comes before the conditions in it, and those keep their order.
func TestLoopFirst(t *testing.T) {
	jump := func(offset uint64, loop bool) Jump { return Jump{Stack: []model.Frame{{Offset: offset}}, Loop: loop} }
	alike := func(offset uint64, loop bool) Jump { j := jump(offset, loop); j.Alike = true; return j }
	for _, c := range []struct {
		jumps []Jump
		want  []uint64
	}{
		{[]Jump{jump(1, false), jump(2, false), jump(3, true), jump(4, true)}, []uint64{3, 1, 2, 4}},
		{[]Jump{jump(1, true), jump(2, true)}, []uint64{1, 2}},
		{[]Jump{jump(1, false), jump(2, false)}, []uint64{1, 2}},
		{[]Jump{jump(1, false)}, []uint64{1}},
		{[]Jump{alike(1, false), jump(2, false), alike(3, true)}, []uint64{3, 1, 2}},
		{[]Jump{jump(1, false), alike(2, true)}, []uint64{1, 2}},
	} {
		b := Branch{Jump: c.jumps[0], Or: c.jumps[1:]}
		b.LoopFirst()
		for i, j := range append([]Jump{b.Jump}, b.Or...) {
			checktest.Equal(t, c.want[i], j.Stack[0].Offset, "comes at", i, c.want)
		}
	}
}

// TestDifferingFirst: a jump whose condition is known to differ between ranks comes before the others, which keep their order.
func TestDifferingFirst(t *testing.T) {
	jump := func(offset uint64, differs bool) Jump {
		return Jump{Stack: []model.Frame{{Offset: offset}}, Differs: differs}
	}
	for _, c := range []struct {
		jumps []Jump
		want  []uint64
	}{
		{[]Jump{jump(1, false), jump(2, false), jump(3, true), jump(4, true)}, []uint64{3, 1, 2, 4}},
		{[]Jump{jump(1, true), jump(2, false), jump(3, true)}, []uint64{1, 2, 3}},
		{[]Jump{jump(1, false), jump(2, false)}, []uint64{1, 2}},
	} {
		b := Branch{Jump: c.jumps[0], Or: c.jumps[1:]}
		b.DifferingFirst()
		for i, j := range append([]Jump{b.Jump}, b.Or...) {
			checktest.Equal(t, c.want[i], j.Stack[0].Offset, "comes at", i, c.want)
		}
	}
}

// TestFinalFirst: the jumps by which a call was passed for good come before the others, each once, and no more are left than before.
func TestFinalFirst(t *testing.T) {
	jump := func(offset uint64) Jump { return Jump{Stack: []model.Frame{{Offset: offset}}} }
	for _, c := range []struct{ jumps, final, want []uint64 }{
		{[]uint64{1, 2, 3}, nil, []uint64{1, 2, 3}},
		{[]uint64{1, 2, 3}, []uint64{3}, []uint64{3, 1, 2}},
		{[]uint64{1, 2}, []uint64{4, 2, 5}, []uint64{4, 2}},
		{[]uint64{1}, []uint64{2, 3}, []uint64{2}},
	} {
		var b Branch
		for i, offset := range c.jumps {
			if i == 0 {
				b.Jump = jump(offset)
			} else {
				b.Or = append(b.Or, jump(offset))
			}
		}
		for _, offset := range c.final {
			b.Final = append(b.Final, jump(offset))
		}
		b.FinalFirst()
		var got []uint64
		for _, j := range append([]Jump{b.Jump}, b.Or...) {
			got = append(got, j.Stack[0].Offset)
		}
		checktest.Equal(t, c.want, got, c.jumps, "and final", c.final)
	}
}
