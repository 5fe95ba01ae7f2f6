package usage

import "laggard/model"

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
}

// Place is a call that takes part in a finding.
type Place struct {
	Rank int
	Call string // the MPI function
	Site Site
	Role string // such as "send", "receive", "creation"
}
