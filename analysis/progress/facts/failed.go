package facts

import (
	"bytes"
	"cmp"

	"laggard/model"
	"laggard/model/mpi"
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
	// Lately are the ranks whose thread has made few calls since, or polls: others have gone on with their work for long.
	Lately model.RankSet
}

// lately is how many calls of MPI a thread may have made since MPI returned an error to it for that to be what happened to it lately.
const lately = 64

// compareFailed orders calls by what they are, not by the ranks that made them. What MPI says may differ from rank to rank.
func compareFailed(x, y Failed) int {
	return cmp.Or(bytes.Compare(x.State[:], y.State[:]), cmp.Compare(x.Class, y.Class))
}

func joinFailed(x, y Failed) Failed {
	if x.Text == "" || y.Text != "" && y.Text < x.Text {
		x.Text = y.Text
	}
	x.Count, x.Ranks, x.Lately = x.Count+y.Count, x.Ranks.Union(y.Ranks), x.Lately.Union(y.Lately)
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
	codeSet(c, &f.Lately)
}

// addFailed keeps the errors that MPI returned to a rank.
func (b *builder) addFailed(r *model.Rank) {
	for _, t := range r.Threads {
		for _, f := range t.Failed {
			s := stateOf(t, f.State)
			if s == nil || f.Count == 0 {
				continue
			}
			one := Failed{
				State: s.ID, Call: validUTF8(s.Call), Stack: b.portableFrames(s.Stack), Class: f.Class,
				Text: validUTF8(r.Family.DescribeError(f.Class, f.Text)), Count: f.Count, Ranks: model.NewRankSet(r.Rank),
			}
			if t.Calls-f.Calls <= lately || pollsNow(t) {
				one.Lately = one.Ranks
			}
			b.sum.Failed = append(b.sum.Failed, one)
		}
	}
}

// pollsNow reports whether a thread is in a call that does not wait, which it may have made many times.
func pollsNow(t *model.Thread) bool {
	f := mpi.FindFunction(t.CurrentCall())
	return f != nil && f.Class.IsPoll()
}
