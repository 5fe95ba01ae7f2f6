package mpi

import "slices"

//go:generate go run ../../recorder/gen classes.go

// Class says what a call of a function means to the recorder and the analyses:
// the first word of the function's line in functions.tbl. Its numbers are those
// of the recorder's enum lg_class.
type Class uint8

// String is the class as in the table.
func (c Class) String() string { return load().classes[c] }

// Classes are all classes that occur, in alphabetical order.
func Classes() []Class {
	out := make([]Class, len(load().classes))
	for i := range out {
		out[i] = Class(i)
	}
	return out
}

// Waits tells whether a call completes requests and waits for that.
func (c Class) Waits() bool { return c.oneOf(ClassWait, ClassWaitall, ClassWaitany, ClassWaitsome) }

// Tests tells whether a call completes requests that can be completed now.
func (c Class) Tests() bool { return c.oneOf(ClassTest, ClassTestall, ClassTestany, ClassTestsome) }

// Completes tells whether a call completes requests.
func (c Class) Completes() bool { return c.Waits() || c.Tests() }

// OneSided tells whether a call reads or writes the memory of a window.
func (c Class) OneSided() bool { return c.oneOf(ClassRma, ClassRmaNb, ClassRmaNow) }

func (c Class) oneOf(classes ...Class) bool { return slices.Contains(classes, c) }
