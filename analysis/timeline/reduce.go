package timeline

import (
	"cmp"

	"laggard/model"
	"laggard/model/wire"
	"laggard/reduce"
)

// What the analysis ranks reduce. All get the extent; analysis rank 0 gets the others.
var (
	extents    = reduce.JSONMonoid(mergeExtents)
	likenesses = reduce.Monoid[[]likeness]{
		Codec: codecOf(codeLikenesses),
		Merge: func(a, b []likeness) ([]likeness, error) {
			return reduce.MergeSorted(a, b, compareLikenesses, keepFirst), nil
		},
	}
	sums = reduce.Monoid[Sum]{
		Codec: codecOf(func(s *Sum, c *wire.Coder) { s.code(c) }),
		Merge: func(a, b Sum) (Sum, error) { return mergeSums(a, b), nil },
	}
)

// codecOf is the codec that a function for a Coder makes.
func codecOf[T any](code func(*T, *wire.Coder)) reduce.Codec[T] {
	return reduce.Codec[T]{
		Encode: func(v T) ([]byte, error) { return wire.Encode(func(c *wire.Coder) { code(&v, c) }) },
		Decode: func(b []byte) (v T, err error) { return v, wire.Decode(b, func(c *wire.Coder) { code(&v, c) }) },
	}
}

func compareLikenesses(a, b likeness) int { return cmp.Compare(a.Rank, b.Rank) }

func codeLikenesses(all *[]likeness, c *wire.Coder) {
	wire.SortedList(c, all, func(l *likeness, c *wire.Coder) {
		wire.Index(c, &l.Rank, model.MaxRanks)
		wire.List(c, &l.Windows, func(w *window, c *wire.Coder) {
			for k := range w {
				wire.Uint(c, &w[k])
			}
		})
	}, compareLikenesses)
}

func (s *Sum) code(c *wire.Coder) {
	wire.SortedList(c, &s.States, codeState, compareStates)
	wire.SortedList(c, &s.Rows, (*Row).code, compareRows)
	wire.SortedList(c, &s.Loops, (*Loop).code, compareLoops)
}

func codeState(s **model.State, c *wire.Coder) {
	if *s == nil {
		*s = &model.State{}
	}
	c.State(&(*s).ID)
	c.Text(&(*s).Call)
	c.Stack(&(*s).Stack)
	c.Flags(&(*s).Partial)
	wire.Uint(c, &(*s).Binding)
}

func (r *Row) code(c *wire.Coder) {
	wire.Index(c, &r.First, model.MaxRanks)
	c.Set(&r.Ranks)
	wire.List(c, &r.Hosts, func(host *string, c *wire.Coder) { c.Text(host) })
	wire.List(c, &r.Columns, (*Column).code)
}

func (n *Column) code(c *wire.Coder) {
	for _, samples := range []*uint64{&n.Computing, &n.Waiting, &n.IO, &n.Absent, &n.Expected, &n.Starved} {
		wire.Uint(c, samples)
	}
	wire.SortedList(c, &n.Places, func(p *Place, c *wire.Coder) {
		c.State(&p.State)
		wire.Uint(c, &p.Samples)
	}, comparePlaces)
	wire.Int(c, &n.Peer)
}

func (l *Loop) code(c *wire.Coder) {
	c.State(&l.State)
	wire.List(c, &l.Turns, func(t *Turns, c *wire.Coder) {
		wire.Uint(c, &t.Count)
		wire.Uint(c, &t.Seconds)
	})
}
