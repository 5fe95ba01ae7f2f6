package slicing

import (
	"slices"

	"laggard/model"
)

// Branch is where two ways through a program part.
type Branch struct {
	Jump
	// Or are branches further back that decide the same, nearest first,
	// such as the outer ones of nested conditions.
	Or []Jump
	Ways
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
}

// LoopFirst puts a jump that decides whether a loop goes round again before the others that decide the same.
func (b *Branch) LoopFirst() {
	i := slices.IndexFunc(b.Or, func(j Jump) bool { return j.Loop })
	if b.Loop || i < 0 {
		return
	}
	first := b.Or[i]
	b.Or = slices.Insert(slices.Delete(slices.Clone(b.Or), i, i+1), 0, b.Jump)
	b.Jump = first
}

// Ways says what the code allows of two calls, where both ways through it part.
type Ways struct {
	Before bool // the first leads to the other in one pass, and not the other way round
	After  bool // the other leads to the first
	Apart  bool // one pass makes only one of them
	Passed bool // the other one can be reached in a pass that does not make the first
	Again  bool // the other one is in a loop of its own, and can follow itself
}
