package facts

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/wire"
)

// Failed is a call to which MPI returned errors of one class.
type Failed struct {
	State model.StateID
	Call  string
	Stack []model.Frame // without run-time addresses
	Class int           // as the MPI library numbers them
	Text  string        // what MPI says of one of them; "" unknown
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

// inLibrary is the function of MPICH and its line before what is said there, as in "MPIR_Send(63)....: ".
var inLibrary = regexp.MustCompile(`^\S+\(\d*\)\.*: `)

// ErrorText is what MPI says of an error in one line: MPICH adds a line for each of its functions that the error came through, of which
// the last says most.
func ErrorText(text string) string {
	isEmpty := func(line string) bool { return strings.TrimSpace(line) == "" }
	lines := slices.DeleteFunc(strings.Split(text, "\n"), isEmpty)
	if len(lines) < 2 {
		return strings.TrimSpace(text)
	}
	first, last := strings.TrimSuffix(lines[0], ", error stack:"), inLibrary.ReplaceAllString(lines[len(lines)-1], "")
	if last = strings.TrimSpace(last); strings.HasPrefix(last, first) {
		return last
	}
	return first + ": " + last
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
					Text: validUTF8(f.Text), Count: f.Count, Ranks: model.NewRankSet(r.Rank),
				})
			}
		}
	}
}
