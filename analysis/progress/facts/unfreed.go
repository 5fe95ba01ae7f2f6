package facts

import (
	"bytes"
	"cmp"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/wire"
	"laggard/reduce"
)

// UnfreedKind is what was never freed.
type UnfreedKind uint8

// The kinds of things that a program has to free, close or complete.
const (
	UnfreedComm UnfreedKind = iota
	UnfreedWindow
	UnfreedFile
	UnfreedRequest // begun and never completed
	UnfreedPersistent
	UnfreedDatatype
)

// commKinds are what communicators, windows and files are; those that a program did not make are none.
var commKinds = map[model.CommKind]UnfreedKind{
	model.Intra: UnfreedComm, model.Inter: UnfreedComm, model.Window: UnfreedWindow, model.File: UnfreedFile,
}

// Unfreed is what one call made and nothing freed.
type Unfreed struct {
	State model.StateID
	Call  string
	Stack []model.Frame // without run-time addresses
	Kind  UnfreedKind
	Least int // of one rank, of those that have some
	Most  int
	Ranks model.RankSet
}

// leastUnfreed is how many that one call made are kept: a program may make one or two for good. A file has to be closed
// (MPI-4.0 §14.2.2).
func leastUnfreed(kind UnfreedKind) int {
	if kind == UnfreedFile {
		return 1
	}
	return 3
}

// leastRounds is how often a call made datatypes or persistent requests, with communication in between, while earlier ones were left.
// Many programs make what they need in one loop, one for each neighbour, and leave it to MPI_Finalize.
const leastRounds = 3

// unfreedKind is what a call makes whose State counts it.
func unfreedKind(call string) UnfreedKind {
	switch f := mpi.FunctionOf(call); {
	case f == nil:
		return UnfreedRequest
	case f.Class == mpi.ClassNewtype:
		return UnfreedDatatype
	case f.Class.IsPersistent():
		return UnfreedPersistent
	}
	return UnfreedRequest
}

// UnfreedOf lists what a rank made and did not free, by rising state and kind; nothing of a rank whose record stopped before it did.
func UnfreedOf(r *model.Rank) []Unfreed {
	if r.Off {
		return nil
	}
	type maker struct {
		thread, state int
		kind          UnfreedKind
	}
	counts := map[maker]int{}
	for _, c := range r.Comms {
		if kind, made := commKinds[c.Kind]; made && r.MakerOf(c) != nil && !c.Freed && !c.Forming && !c.ToParent {
			counts[maker{c.Thread, c.State, kind}]++
		}
	}
	for i, t := range r.Threads {
		for _, u := range t.Model.Unfreed {
			kind := unfreedKind(t.Model.States[u.State].Call)
			if kind == UnfreedRequest || u.Rounds >= leastRounds {
				counts[maker{i, u.State, kind}] += u.Count
			}
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
