package slicing

import (
	"slices"

	"laggard/model"
)

// Branch is where two ways through a program part.
type Branch struct {
	Jump
	// Or are branches that decide the same, nearest first, such as the outer ones of nested conditions; last those whose
	// conditions are the same on all ranks.
	Or []Jump
	// Final are jumps by which a rank may have passed the first call for good, and not only for a round of the loop that this is in: those
	// whose conditions certainly differ between ranks, then those that may, the nearest first.
	Final []Jump
	Ways
	// Ends is the stack of the other call from where it does not come back: its first frame is of the outermost function, further in
	// than where the ways part, that ends the program behind the call. nil: every function may return.
	Ends       []model.Frame
	Unfinished bool // the time of a part of the search was over: asked again, more may be found
}

// Jump is a jump that decides.
type Jump struct {
	// Stack is its own, innermost first: its address, then the
	// return addresses of the callers that both ways share.
	Stack []model.Frame
	// Loop: it decides whether a loop goes round again.
	Loop bool
	// Outside: the call that it decides is in a loop that it is not in.
	Outside bool
	// Alike: its condition is the same on all ranks, as all tells that it comes from, so that it sends no rank away alone.
	Alike bool
	// Differs: it comes from what each rank has of its own, such as its number or what it received.
	Differs bool
}

// LoopFirst puts a jump that decides whether a loop goes round again before the others that decide the same, but for one
// whose condition is the same on all ranks; such a one, too, if the first is.
func (b *Branch) LoopFirst() {
	if !b.Loop {
		b.putFirst(func(j Jump) bool { return j.Loop && !j.Alike })
	}
	if !b.Loop && b.Alike {
		b.putFirst(func(j Jump) bool { return j.Loop })
	}
}

// ConditionFirst puts a jump that decides about no loop before the loops, but for one whose condition is the same on all ranks.
func (b *Branch) ConditionFirst() {
	if b.Loop {
		b.putFirst(func(j Jump) bool { return !j.Loop && !j.Alike })
	}
}

// putFirst puts the nearest of the other jumps that is such before all others.
func (b *Branch) putFirst(is func(Jump) bool) {
	i := slices.IndexFunc(b.Or, is)
	if i < 0 {
		return
	}
	first := b.Or[i]
	b.Or = slices.Insert(slices.Delete(slices.Clone(b.Or), i, i+1), 0, b.Jump)
	b.Jump = first
}

// DifferingFirst puts a jump whose condition comes from what each rank has of its own before those of which that is not known.
func (b *Branch) DifferingFirst() {
	if !b.Differs {
		b.putFirst(func(j Jump) bool { return j.Differs })
	}
}

// FinalFirst puts the jumps by which a rank that never made the call may have passed it before the others that decide the same.
func (b *Branch) FinalFirst() {
	if len(b.Final) == 0 {
		return
	}
	all := slices.Clone(b.Final)
	for _, j := range append([]Jump{b.Jump}, b.Or...) {
		if !slices.ContainsFunc(all, func(k Jump) bool { return slices.EqualFunc(j.Stack, k.Stack, sameFrame) }) {
			all = append(all, j)
		}
	}
	b.Jump, b.Or = all[0], all[1:min(len(all), len(b.Or)+1)]
}

// OnlyDiffering leaves the jumps whose condition comes from what each rank has of its own, or may; it reports false, and leaves all,
// if the first one is none that does.
func (b *Branch) OnlyDiffering() bool {
	if !b.Differs {
		return false
	}
	b.Or = slices.DeleteFunc(slices.Clone(b.Or), func(j Jump) bool { return j.Alike })
	return true
}

// Ways says what the code allows of two calls, where both ways through it part.
type Ways struct {
	Before bool // the first leads to the other in one pass, and not the other way round
	After  bool // the other leads to the first
	Apart  bool // one pass makes only one of them
	Passed bool // the other one can be reached in a pass that does not make the first
	Again  bool // the other one is in a loop of its own, and can follow itself
}

// SharedFrames counts the outermost frames that two stacks have in common.
func SharedFrames(a, b []model.Frame) int {
	n := 0
	for n < len(a) && n < len(b) && sameFrame(a[len(a)-1-n], b[len(b)-1-n]) {
		n++
	}
	return n
}

func sameFrame(a, b model.Frame) bool {
	if a.Module == nil || b.Module == nil {
		return a == b
	}
	return a.Offset == b.Offset && a.Module.BuildID == b.Module.BuildID && a.Module.Path == b.Module.Path
}
