package facts

import (
	"bytes"
	"cmp"

	"laggard/model"
	"laggard/model/wire"
	"laggard/reduce"
)

// Unfreed is the communicators, windows or files that one call made and nothing freed.
type Unfreed struct {
	State model.StateID
	Call  string
	Stack []model.Frame  // without run-time addresses
	Kind  model.CommKind // model.Intra of any communicator, model.Window or model.File
	Least int            // of one rank, of those that have some
	Most  int
	Ranks model.RankSet
}

// leastUnfreed is how many that one call made are kept: a program may make one or two for good. A file has to be closed
// (MPI-4.0 §14.2.2).
func leastUnfreed(kind model.CommKind) int {
	if kind == model.File {
		return 1
	}
	return 3
}

// UnfreedOf lists what a rank made and did not free, by rising state and kind; nothing of a rank whose record stopped before it did.
func UnfreedOf(r *model.Rank) []Unfreed {
	if r.Off {
		return nil
	}
	type maker struct {
		thread, state int
		kind          model.CommKind
	}
	counts := map[maker]int{}
	for _, c := range r.Comms {
		switch {
		case r.MakerOf(c) == nil || c.Freed || c.Forming || c.ToParent:
		case c.Kind == model.Inter:
			counts[maker{c.Thread, c.State, model.Intra}]++
		case c.Kind == model.Intra || c.Kind == model.Window || c.Kind == model.File:
			counts[maker{c.Thread, c.State, c.Kind}]++
		}
	}
	var out []Unfreed
	for m, n := range counts {
		if s := r.Threads[m.thread].Model.States[m.state]; n >= leastUnfreed(m.kind) {
			out = append(out, Unfreed{
				State: s.ID, Call: s.Call, Stack: s.Stack, Kind: m.kind, Least: n, Most: n, Ranks: model.NewRankSet(r.Rank),
			})
		}
	}
	return SortUnfreed(out)
}

// SortUnfreed sorts, and joins what was made by one call.
func SortUnfreed(list []Unfreed) []Unfreed {
	return reduce.SortJoined(list, compareUnfreed, joinUnfreed)
}

func compareUnfreed(x, y Unfreed) int {
	return cmp.Or(bytes.Compare(x.State[:], y.State[:]), cmp.Compare(x.Kind, y.Kind))
}

func joinUnfreed(x, y Unfreed) Unfreed {
	x.Least, x.Most, x.Ranks = min(x.Least, y.Least), max(x.Most, y.Most), x.Ranks.Union(y.Ranks)
	return x
}

func (u *Unfreed) code(c *wire.Coder) {
	c.State(&u.State)
	c.Text(&u.Call)
	c.Stack(&u.Stack)
	wire.Uint(c, &u.Kind)
	wire.Int(c, &u.Least)
	wire.Int(c, &u.Most)
	codeSet(c, &u.Ranks)
}

func (b *builder) addUnfreed(r *model.Rank) {
	for _, u := range UnfreedOf(r) {
		u.Call, u.Stack = validUTF8(u.Call), b.portableFrames(u.Stack)
		b.sum.Unfreed = append(b.sum.Unfreed, u)
	}
}
