package slicing

import "laggard/model"

// Branch is where two ways through a program part.
type Branch struct {
	// Stack is that of the deciding jump, innermost first: its address, then the
	// return addresses of the callers that both ways share.
	Stack []model.Frame
	// Or are the stacks of branches further back that decide the same, nearest first,
	// such as the outer ones of nested conditions.
	Or [][]model.Frame
	// Loop: it decides whether a loop goes round again.
	Loop bool
	Ways
}

// Ways says what the code allows of two calls, where both ways through it part.
type Ways struct {
	Before bool // the first leads to the other in one pass, and not the other way round
	After  bool // the other leads to the first
	Apart  bool // one pass makes only one of them
	Passed bool // the other one can be reached in a pass that does not make the first
	Again  bool // the other one is in a loop of its own, and can follow itself
}
