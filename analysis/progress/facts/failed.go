package facts

import (
	"bytes"
	"cmp"

	"laggard/model"
	"laggard/model/wire"
)

// Failed is a call to which MPI returned errors of one class.
type Failed struct {
	State model.StateID
	Call  string
	Stack []model.Frame // without run-time addresses
	Class int           // as the MPI library numbers them
	Text  string        // what MPI says of one of them, in one line; "" unknown
	Count uint64        // how many, in all ranks
	Ranks model.RankSet
}

// compareFailed orders calls by what they are, not by the ranks that made them. What MPI says may differ from rank to rank.
func compareFailed(x, y Failed) int {
	return cmp.Or(bytes.Compare(x.State[:], y.State[:]), cmp.Compare(x.Class, y.Class))
}

func joinFailed(x, y Failed) Failed {
	if x.Text == "" || y.Text != "" && y.Text < x.Text {
		x.Text = y.Text
	}
	x.Count, x.Ranks = x.Count+y.Count, x.Ranks.Union(y.Ranks)
	return x
}

func (f *Failed) code(c *wire.Coder) {
	c.State(&f.State)
	c.Text(&f.Call)
	c.Stack(&f.Stack)
	wire.Int(c, &f.Class)
	c.Text(&f.Text)
	wire.Uint(c, &f.Count)
	codeSet(c, &f.Ranks)
}

// addFailed keeps the errors that MPI returned to a rank.
func (b *builder) addFailed(r *model.Rank) {
	for _, t := range r.Threads {
		for _, f := range t.Failed {
			if s := stateOf(t, f.State); s != nil && f.Count > 0 {
				b.sum.Failed = append(b.sum.Failed, Failed{
					State: s.ID, Call: validUTF8(s.Call), Stack: b.portableFrames(s.Stack), Class: f.Class,
					Text: validUTF8(r.Family.DescribeError(f.Class, f.Text)), Count: f.Count, Ranks: model.NewRankSet(r.Rank),
				})
			}
		}
	}
}
