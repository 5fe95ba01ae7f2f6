package slice

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/slicing"
)

// findBranch is branchOf within branchTime. The error is the first one of the search that did not come
// from the code, such as a lack of time.
func findBranch(ctx context.Context, s slicing.Slicer, found *progress.Result) (*slicing.Branch, error) {
	ctx, cancel := context.WithTimeout(ctx, slicing.CrowdedFactor*branchTime)
	defer cancel()
	noted := &failureNoter{Slicer: s}
	b := branchOf(ctx, noted, found)
	return b, noted.err
}

// failureNoter is a Slicer that keeps the first error of Branch that does not wrap slicing.ErrNothing.
type failureNoter struct {
	slicing.Slicer
	err error
}

func (n *failureNoter) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	b, err := n.Slicer.Branch(ctx, made, other, last)
	if n.err == nil && err != nil && !errors.Is(err, slicing.ErrNothing) {
		n.err = fmt.Errorf("the deciding branch is unknown:  %w", err)
	}
	return b, err
}

// branchOf finds the branch that decided the first divergence, and corrects the kind
// of that by what the code allows; nil: there is no branch, or it is not found.
func branchOf(ctx context.Context, s slicing.Slicer, found *progress.Result) *slicing.Branch {
	if len(found.Diverged) == 0 || found.Diverged[0].BetweenGroups {
		return nil
	}
	d := &found.Diverged[0]
	b, known := branchBetween(ctx, s, &d.Odd[0])
	if known && d.Decide(b.Ways, b.Loop) {
		found.RestateReason(d)
		b, known = branchBetween(ctx, s, &d.Odd[0])
	}
	if b := branchOfReceive(ctx, s, found); b != nil {
		return b
	}
	if known && liesBetween(ctx, s, &d.Odd[0], b) {
		d.TurnMissing()
		found.RestateReason(d)
		b, known = branchBetween(ctx, s, &d.Odd[0])
	}
	if turned, is := branchOfOtherCall(ctx, s, d, b, known); is {
		found.RestateReason(d)
		b, known = turned, true
	}
	if stack := found.ThrownBy(&d.Odd[0]); stack != nil {
		return innermostBranch(ctx, s, stack, len(stack))
	}
	stack := found.EndedAt(&d.Odd[0])
	if d.Odd[0].WentToFinalize() { // in a function that ends the program, such as one that is called on errors
		stack = b.Ends
	}
	if stack != nil {
		if b := endBranch(ctx, s, &d.Odd[0], stack); b != nil {
			return b
		}
	}
	if d.Odd[0].OtherWork {
		return nil
	}
	if back, is := branchBeforeDivergence(ctx, s, d); is {
		return &back
	}
	if !known || len(b.Stack) == 0 {
		return nil
	}
	if d.Odd[0].Kind == divergence.LoopCount { // not a condition in the loop
		b.LoopFirst()
	}
	if d.Odd[0].Undecided(b.Loop) && !b.OnlyDiffering() {
		return nil
	}
	switch o := &d.Odd[0]; {
	case o.Kind == divergence.Extra && d.Majority: // that no other rank goes round a loop is less likely than what one of them found in it
		b.ConditionFirst()
	case o.Kind == divergence.ErrorPath && o.OthersAwaitMessage(): // the loops of the program end on every rank
		b.DifferingFirst()
	}
	return &b
}

// branchOfReceive finds the branch by which a rank passed the receive for which others wait in sends, on its way to where it is; nil: it
// is not known. That these wait is no part of what it passed.
func branchOfReceive(ctx context.Context, s slicing.Slicer, found *progress.Result) *slicing.Branch {
	o := &found.Diverged[0].Odd[0]
	receive := found.LeftOutReceive(o.Ranks.Min())
	if !o.OthersAwaitMessage() || receive == nil {
		return nil
	}
	made := divergence.CallIn(receive.By)
	if b, known := branchBetweenCalls(ctx, s, &made, o.Own(), o.Before()); known && len(b.Stack) > 0 {
		b.FinalFirst()
		return &b
	}
	return nil
}

// liesBetween reports whether the others' call comes between the one before both and the line's own in one pass, though
// the order of earlier calls made that look like one in addition: the line went past the others' call.
func liesBetween(ctx context.Context, s slicing.Slicer, o *divergence.Odd, b slicing.Branch) bool {
	_, theirs := o.Ways()
	if o.Kind != divergence.Extra || o.AgreeAfterShift > 0 || o.Other != 0 || !b.After || b.Loop || o.Before() == nil {
		return false
	}
	behind, known := branchBetweenCalls(ctx, s, theirs, o.Before(), nil)
	return known && behind.After
}

// branchOfOtherCall finds the branch that decides about the other one of the two calls at which the ways parted, and corrects which
// of them is taken for missing: where only the order of earlier calls told that, and nothing decides about the one which
// can differ between ranks.
func branchOfOtherCall(
	ctx context.Context, s slicing.Slicer, d *divergence.Divergence, b slicing.Branch, known bool,
) (slicing.Branch, bool) {
	o := &d.Odd[0]
	made, other := o.OtherWays()
	if !known || len(b.Stack) > 0 && !b.Alike || made == nil || other == nil {
		return slicing.Branch{}, false
	}
	turned, known := branchBetweenCalls(ctx, s, made, other, o.Before())
	if !known || len(turned.Stack) == 0 || !turned.Before && !turned.After || !turned.OnlyDiffering() {
		return slicing.Branch{}, false
	}
	d.TurnMissing()
	return turned, true
}

// endBranch finds the branch by which a rank came to end its process instead of what the others did, by the stack of that; nil: it is
// not known. It is in the innermost function that has one, down to that in which the ways part: there it lies between both calls.
func endBranch(ctx context.Context, s slicing.Slicer, o *divergence.Odd, stack []model.Frame) *slicing.Branch {
	made, _ := o.Ways()
	if made == nil || made.State == nil {
		return nil
	}
	parting := max(len(stack)-slicing.SharedFrames(made.State.Stack, stack)-1, 0)
	if b := innermostBranch(ctx, s, stack, parting); b != nil {
		return b
	}
	end := divergence.CallIn(&model.State{Stack: stack[parting:]})
	if b, known := branchBetweenCalls(ctx, s, made, &end, o.Before()); known && len(b.Stack) > 0 {
		return &b
	}
	return nil
}

// innermostBranch finds the branch by which a function came to throw, or to end the process, by the stack of that, in its innermost
// frames; nil: none. The library of the language may do it for the program.
func innermostBranch(ctx context.Context, s slicing.Slicer, stack []model.Frame, frames int) *slicing.Branch {
	for i := range frames {
		if b, err := s.Branch(ctx, stack[i:], stack[i+1:], nil); err == nil && len(b.Stack) > 0 {
			return &b
		}
	}
	return nil
}

// branchBeforeDivergence finds the branch where the ways had parted before the first collective that
// differs: when both sides made the same one from different places, and one of them no
// longer came to what the other made next.
func branchBeforeDivergence(ctx context.Context, s slicing.Slicer, d *divergence.Divergence) (slicing.Branch, bool) {
	var at *divergence.SiteDifference
	for _, step := range d.SiteDifferences() {
		if !cannotReach(ctx, s, step.Theirs, step.NextOwn) && !cannotReach(ctx, s, step.Own, step.NextTheirs) {
			break
		}
		at = &step
	}
	if at == nil {
		return slicing.Branch{}, false
	}
	b, known := branchBetweenCalls(ctx, s, at.Own, at.Theirs, at.Before)
	if known && b.After { // what decides is before the first of the two
		b, known = branchBetweenCalls(ctx, s, at.Theirs, at.Own, at.Before)
	}
	return b, known && len(b.Stack) > 0
}

// cannotReach reports whether the code does not lead from one call to another in one pass.
func cannotReach(ctx context.Context, s slicing.Slicer, from, to *divergence.Call) bool {
	b, known := branchBetweenCalls(ctx, s, to, from, nil)
	return known && (b.Before || b.Apart)
}

// interpreters begin the names of the modules in which a program in another language
// is run, or calls MPI ("MPI." is mpi4py): what these decide between is instructions of that.
var interpreters = []string{"python", "libpython", "MPI.", "julia", "libjulia", "libR.so", "ruby", "perl", "octave"}

// interpreted reports whether the ways of two stacks part in an interpreter.
func interpreted(made, other []model.Frame) bool {
	n := slicing.SharedFrames(made, other) + 1
	if n > len(made) || made[len(made)-n].Module == nil {
		return false
	}
	if _, _, python := made[len(made)-n].Module.PythonFunction(); python {
		return true
	}
	name := path.Base(made[len(made)-n].Module.Path)
	return slices.ContainsFunc(interpreters, func(i string) bool { return strings.HasPrefix(name, i) })
}

func branchBetween(ctx context.Context, s slicing.Slicer, o *divergence.Odd) (slicing.Branch, bool) {
	made, other := o.Ways()
	return branchBetweenCalls(ctx, s, made, other, o.Before())
}

// branchBetweenCalls finds the branch that decides whether one call is made or passed on the way to
// another, behind the call before both; nil calls are not known.
func branchBetweenCalls(ctx context.Context, s slicing.Slicer, made, other, before *divergence.Call) (slicing.Branch, bool) {
	if made == nil || other == nil || made.State == nil || other.State == nil ||
		interpreted(made.State.Stack, other.State.Stack) {
		return slicing.Branch{}, false
	}
	var last []model.Frame
	if before != nil && before.State != nil {
		last = before.State.Stack
	}
	b, err := s.Branch(ctx, made.State.Stack, other.State.Stack, last)
	return b, err == nil
}
