package slice

import (
	"context"
	"testing"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/slicing"
)

// knownWays is a Slicer that knows the branches between calls, by the offsets of their frames.
type knownWays map[[2]uint64]slicing.Branch

func (knownWays) Name() string { return "known" }

func (knownWays) Slice(context.Context, slicing.Criterion, slicing.Budget) (slicing.Slice, error) {
	return slicing.Slice{}, slicing.ErrNothing
}

func (k knownWays) Branch(_ context.Context, made, other, _ []model.Frame) (slicing.Branch, error) {
	b, ok := k[[2]uint64{made[0].Offset, other[0].Offset}]
	if !ok {
		return b, slicing.ErrNothing
	}
	return b, nil
}

// The calls of a test, by the offsets of their frames: one that all made, then the one of the others and the line's own.
const (
	before, theirs, own = 1, 2, 3
)

func callAt(offset, number uint64) divergence.Call {
	c := divergence.CallIn(&model.State{Call: "MPI_Barrier", Stack: []model.Frame{{Offset: offset}}})
	c.Number = number
	return c
}

// TestWhoseCallIsMissing: where the order of earlier calls makes a call look like one in addition, the code tells whether the
// line went past that of the others.
func TestWhoseCallIsMissing(t *testing.T) {
	jump := func(line uint64) []model.Frame { return []model.Frame{{Offset: line}} }
	differs := slicing.Branch{Jump: slicing.Jump{Stack: jump(10), Differs: true}, Or: []slicing.Jump{{Stack: jump(11), Alike: true}}}
	alike := slicing.Branch{Jump: slicing.Jump{Stack: jump(12), Alike: true}}
	unclear := slicing.Branch{Jump: slicing.Jump{Stack: jump(13)}}
	with := func(b slicing.Branch, w slicing.Ways) slicing.Branch {
		b.Ways = w
		return b
	}
	ahead, behind := slicing.Ways{Before: true}, slicing.Ways{After: true}
	for name, c := range map[string]struct {
		known  knownWays
		looped bool
		kind   divergence.Kind
		branch uint64 // 0: none
		or     int
	}{
		"nothing decides about its own": {knownWays{{own, theirs}: {Ways: behind}, {theirs, own}: with(differs, ahead)}, false,
			divergence.Skipped, 10, 0},
		"what decides about its own is the same on all ranks": {knownWays{{own, theirs}: with(alike, behind), {theirs, own}: with(differs,
			ahead)}, false, divergence.Skipped, 10, 0},
		"nobody knows what decides about the other": {knownWays{{own, theirs}: with(alike, behind), {theirs, own}: with(unclear, ahead)},
			false, divergence.Extra, 12, 0},
		"what decides about its own differs": {knownWays{{own, theirs}: with(differs, ahead), {theirs, own}: with(differs, behind)}, false,
			divergence.Extra, 10, 1},
		"the other lies between": {knownWays{{own, theirs}: with(unclear, behind), {theirs, own}: with(unclear, ahead),
			{theirs, before}: {Ways: behind}}, false, divergence.Skipped, 13, 0},
		"the other is before the last": {knownWays{{own, theirs}: with(unclear, behind), {theirs, own}: with(unclear, ahead),
			{theirs, before}: {Ways: ahead}}, false, divergence.Extra, 13, 0},
		"both came in healthy rounds":                 {knownWays{{own, theirs}: with(unclear, ahead)}, true, divergence.Extra, 0, 0},
		"both came in healthy rounds, but it differs": {knownWays{{own, theirs}: with(differs, ahead)}, true, divergence.Extra, 10, 0},
	} {
		mine, other := callAt(own, 8), callAt(theirs, 8)
		o := divergence.Odd{Line: divergence.Line{Latest: []divergence.Call{callAt(before, 7), mine}}}
		o.Kind, o.Number, o.After, o.Looped = divergence.Extra, 8, 7, c.looped
		o.Calls, o.Theirs = []divergence.Call{mine}, []divergence.Call{other}
		found := &progress.Result{}
		found.Diverged = []divergence.Divergence{{Odd: []divergence.Odd{o}}}
		b := branchOf(context.Background(), c.known, found)
		checktest.Equal(t, c.kind, found.Diverged[0].Odd[0].Kind, name)
		switch {
		case b == nil && c.branch == 0:
		case b == nil || c.branch == 0 || b.Stack[0].Offset != c.branch || len(b.Or) != c.or:
			t.Errorf("%s: the branch is %+v, want %d", name, b, c.branch)
		}
	}
}
