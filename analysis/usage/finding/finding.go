package finding

import (
	"laggard/analysis/usage/recorded"
	"laggard/model"
)

// Finding is a wrong use of MPI.
type Finding struct {
	Class    string // such as deadlock, leak, type_mismatch; see Classes
	Severity string // error, or warning: legal but unsafe
	Ranks    model.RankSet
	Message  string  // what is wrong, with the numbers, in one sentence
	Change   string  // what to change
	Standard string  // section of the standard that requires it
	Places   []Place // the places involved, of both sides; the wrong one first
	Count    int     // how often it happened
	// Returned: MPI returned the error to the program, which had asked for that with MPI_ERRORS_RETURN.
	Returned bool
}

// Place is a call that takes part in a finding.
type Place struct {
	Rank int
	Call string // the MPI function
	Site recorded.Site
	Role string // such as "send", "receive", "creation"
	// Muted: the program asked by MPI_Pcontrol that the call be not reported.
	Muted bool
}

// New returns a finding of a class, with the advice that Classes has for it; the
// ranks are those of the places.
func New(class, message string, places ...Place) Finding {
	c, _ := ClassNamed(class)
	f := Finding{Class: class, Severity: c.Severity, Message: message, Change: c.Change, Standard: c.Standard,
		Places: places, Count: 1}
	for _, p := range places {
		f.Ranks.Add(p.Rank)
	}
	return f
}
