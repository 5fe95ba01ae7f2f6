package slicing

import "laggard/model"

// Branch is where two ways through a program part.
type Branch struct {
	// Stack is that of the deciding jump, innermost first: its address, then the
	// return addresses of the callers that both ways share.
	Stack []model.Frame
	// Loop: it decides whether a loop goes round again.
	Loop bool
}
