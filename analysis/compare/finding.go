package compare

import (
	"laggard/model"
	"laggard/symbol"
)

// Kind says what differs.
type Kind string

// The kinds of difference.
const (
	NewPlace      Kind = "new_call"     // a call that no like rank of the good runs made
	MissingPlace  Kind = "missing_call" // a call that all like ranks made
	SkippedPlace  Kind = "skipped_call" // a call that was sometimes passed over
	OtherOrder    Kind = "order"        // known calls in another order
	Iterations    Kind = "iterations"   // a loop that went round more often, or less
	BranchCount   Kind = "branch"       // a branch that was taken more often, or less
	NewMessage    Kind = "message"      // a message to or from another rank, or with another tag
	MissingSend   Kind = "missing_send" // a message that was not sent
	OtherComm     Kind = "communicator" // a collective on another communicator
	OtherRoot     Kind = "root"         // a collective with another root
	OtherOp       Kind = "operation"    // a reduction by another operation
	OtherSize     Kind = "size"         // messages or blocks of another size
	ReturnedError Kind = "error"        // an error that MPI returned to the program
)

// Place is a call site, as it is in the good runs and in the bad one.
type Place struct {
	Call string
	Good []symbol.Location // its stack, innermost first; nil: no good run was there
	Bad  []symbol.Location // likewise
}

// Finding is one difference.
type Finding struct {
	Kind  Kind
	Ranks model.RankSet // of the bad run
	At    Place         // the call that differs
	More  []Place       // further calls that differ likewise, in the order of the run
	After *Place        // the call before; nil: it is not known, or At says it
	Next  *Place        // for skipped calls and another order: the call that came instead
	// Bad and Good count what differs, by its kind: calls, passages, iterations, messages, bytes. Of the good runs it is the
	// rank that is most like.
	Bad, Good float64
	// BadIs and GoodIs are values that differ, such as tags or roots.
	BadIs, GoodIs string
	// StillIn: the bad run was in that loop when it ended.
	StillIn bool

	id       int // number of the place of At; -1 none
	position int // of the difference in the bad run, see sortFindings
}
