package model

import (
	"fmt"
	"strings"

	"laggard/model/format"
	"laggard/model/mpi"
)

// BadArgument is what is wrong with an argument of the call within which a process faulted, or over which MPI ended the job.
type BadArgument struct {
	How      BadHow
	Position int   // of the argument in the prototype in C, from 0
	Element  int   // of an array, from 0; -1: it is none
	Value    int64 // of the argument; of a short buffer how long the message was, bytes, -1 unknown
	Limit    int64 // what it must not exceed, as BadHow says, or of BadOverflow the sum; -1: it has none, or it is unknown
}

// BadHow says what is wrong with an argument.
type BadHow uint32

// What may be wrong with one.
const (
	BadNot      BadHow = format.BadNot      // nothing that is known
	BadNegative BadHow = format.BadNegative // it is below zero
	BadLarge    BadHow = format.BadLarge    // a tag is above MPI_TAG_UB, a rank not below the size of the communicator
	BadShort    BadHow = format.BadShort    // a buffer is shorter than the message that it received
	BadOverflow BadHow = format.BadOverflow // a displacement is below zero: what an int became to which the count was added
	BadNull     BadHow = format.BadNull     // a handle is null
	BadFreed    BadHow = format.BadFreed    // a handle was freed; Limit is the state of the thread in which it was, -1 unknown
	// BadOverwritten: it is below zero, and the call may have overwritten it.
	BadOverwritten BadHow = format.BadOverwritten
	BadNoHandle    BadHow = format.BadNoHandle // a handle is none that the process made; or, of a request, none that is pending
)

// IsSaidIn reports whether what MPI says of an error has the value and the limit, and there is no more to say.
func (b *BadArgument) IsSaidIn(text string) bool {
	if b.How >= BadNull {
		return b.How == BadNull && strings.Contains(text, "Null ") // "Null communicator"
	}
	more := b.How == BadOverflow || b.How == BadNegative && b.Value <= farBelow
	return !more && strings.Contains(text, fmt.Sprint(b.Value)) && (b.Limit < 0 || strings.Contains(text, fmt.Sprint(b.Limit)))
}

// farBelow is a number that a program hardly means if it is below zero: it is a constant of no MPI, but what an int becomes if a product
// or a sum exceeds it.
const farBelow = -1 << 24

// nullHandles and handleNames are the null handles, and what their objects are called.
var (
	nullHandles = map[mpi.Kind]string{
		mpi.Comm: "MPI_COMM_NULL", mpi.Win: "MPI_WIN_NULL", mpi.Datatype: "MPI_DATATYPE_NULL", mpi.Op: "MPI_OP_NULL",
	}
	handleNames = map[mpi.Kind]string{mpi.Comm: "communicator", mpi.Win: "window", mpi.Datatype: "committed datatype"}
)

// Describe says what is wrong with the argument of a call of that function; "": nothing is known.
func (b *BadArgument) Describe(call string) string {
	f := mpi.FindFunction(call)
	if f == nil || b.How == BadNot || b.Position < 0 || b.Position >= len(f.Params) {
		return ""
	}
	p := &f.Params[b.Position]
	name := p.Name
	if b.Element >= 0 {
		name = fmt.Sprintf("%s[%d]", name, b.Element)
	}
	switch {
	case b.How == BadOverflow && b.Element > 0 && b.Position > 0:
		return fmt.Sprintf("%s is %d, an int overflow: %s[%d] + %s[%d] is %d", name, b.Value, p.Name, b.Element-1,
			f.Params[b.Position-1].Name, b.Element-1, b.Limit)
	case b.How == BadOverwritten:
		return fmt.Sprintf("%s is %d, unless the call itself overwrote it", name, b.Value)
	case b.How == BadNull:
		return fmt.Sprintf("%s is %s", name, nullHandles[p.Kind])
	case b.How == BadFreed:
		return name + " was freed before"
	case b.How == BadNoHandle && p.Kind == mpi.Request:
		return name + " is no request that is pending: it was never set, or is complete already"
	case b.How == BadNoHandle:
		return fmt.Sprintf("%s is no %s: it was never set, or was overwritten", name, handleNames[p.Kind])
	case b.How == BadShort && b.Element >= 0 && b.Value >= 0:
		return fmt.Sprintf("%s received a message of %d bytes into a buffer with room for %d", name, b.Value, b.Limit)
	case b.How == BadShort && b.Element >= 0:
		return fmt.Sprintf("%s received a message longer than its buffer, which has room for %d bytes", name, b.Limit)
	case b.How == BadShort && b.Value >= 0:
		return fmt.Sprintf("the message has %d bytes, the receive buffer has room for %d", b.Value, b.Limit)
	case b.How == BadShort:
		return fmt.Sprintf("the receive buffer has room for %d bytes", b.Limit)
	case p.Kind == mpi.Rank && b.Limit > 0:
		return fmt.Sprintf("%s is %d, and ranks of the communicator are 0 to %d", name, b.Value, b.Limit-1)
	case p.Kind == mpi.Tag && b.Limit > 0:
		return fmt.Sprintf("%s is %d, and tags are 0 to %d (MPI_TAG_UB)", name, b.Value, b.Limit)
	case p.Kind == mpi.Int && b.Value <= farBelow:
		return fmt.Sprintf("%s is %d: an int overflow is likely", name, b.Value)
	}
	return fmt.Sprintf("%s is %d", name, b.Value)
}
