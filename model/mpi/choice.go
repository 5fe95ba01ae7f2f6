package mpi

import (
	"fmt"
	"math/bits"
	"strings"
)

// Choice is a set of the choices in the third column of functions.tbl, whose head explains
// each: what MPI leaves open at a call, so that a correct program works either way.
type Choice uint16

// The choices.
const (
	SendMode Choice = 1 << iota
	Delay
	Match
	Completion
	RMADelay
	Synchronising
	EndsDelay
	BufferUse
	EpochEnd
)

// choiceNames are the words of the table, in the order of the bits.
var choiceNames = [...]string{"send", "delay", "match", "completion", "rma", "collective", "ends", "buffer", "epoch"}

// String lists the choices by their words in the table, separated by commas.
func (c Choice) String() string {
	var words []string
	for ; c != 0; c &= c - 1 {
		words = append(words, choiceNames[bits.TrailingZeros16(uint16(c))])
	}
	return strings.Join(words, ",")
}

// AllChoices returns each choice by itself, in the order of the bits.
func AllChoices() []Choice {
	out := make([]Choice, len(choiceNames))
	for i := range out {
		out[i] = 1 << i
	}
	return out
}

// ParseChoice returns the choice of a word of the table.
func ParseChoice(word string) (Choice, error) {
	for i, name := range choiceNames {
		if name == word {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("%q is none of %s", word, strings.Join(choiceNames[:], ", "))
}

// parseChoices reads the third column of a line.
func parseChoices(text string) (all Choice, err error) {
	if text == "-" {
		return 0, nil
	}
	for _, word := range strings.Split(text, ",") {
		c, err := ParseChoice(word)
		if err != nil {
			return 0, err
		}
		all |= c
	}
	return all, nil
}

// SynchronousForm is the function that does what f does in the synchronous mode, nil if there is none.
func (f *Function) SynchronousForm() *Function {
	if f.Choices&SendMode == 0 {
		return nil
	}
	for _, g := range Functions() {
		if g.Class == f.Class && g.HasTrait(Synchronous) && g.HasTrait(Large) == f.HasTrait(Large) {
			return g
		}
	}
	return nil
}
