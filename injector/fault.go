package injector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a fault does to the rank.
type Kind string

// The kinds of fault.
const (
	// Hang: the thread sleeps for ever in the function, waiting for a lock that
	// nobody will release. Signals are handled; it goes back to sleep.
	Hang Kind = "hang"
	// Spin: the thread executes a jump to itself. Other threads of the rank that
	// enter the function do so too.
	Spin Kind = "spin"
	// Slow: the rank runs at 1/Factor of its speed from there on.
	Slow Kind = "slow"
	// Segv: SIGSEGV comes from an instruction of the function.
	Segv Kind = "segv"
	// Kill: SIGKILL.
	Kill Kind = "kill"
	// Exit: the function calls exit.
	Exit Kind = "exit"
	// None: a run without a fault, which must not be called a hang.
	None Kind = "none"
)

// The kinds of fault by which a rank leaves the common sequence of collectives.
const (
	// Skip: the rank does not make the call; it returns at once, with success.
	Skip Kind = "skip"
	// Extra: the rank makes the call twice.
	Extra Kind = "extra"
	// Leave: the rank goes an error path instead of making the call.
	Leave Kind = "leave"
	// Root, Count and Type: the call gets another root, a count that is one less, or
	// the datatype of an earlier call.
	Root  Kind = "root"
	Count Kind = "count"
	Type  Kind = "type"
	// Exchange: the rank makes the call behind the next collective.
	Exchange Kind = "order"
	// Loop: a jump that decides whether a loop around the call goes round once more
	// goes the other way, once.
	Loop Kind = "loop"
	// Branch: any other jump that decides whether the call is made does so.
	Branch Kind = "branch"
)

// divergenceKinds are the kinds by which a rank leaves the common sequence.
var divergenceKinds = []Kind{Skip, Extra, Leave, Root, Count, Type, Exchange, Loop, Branch}

// Where an error path may end.
const (
	ToExit     = "exit"
	ToFinalize = "finalize" // and exit behind it
	ToAbort    = "abort"
)

// Fault is a fault as a campaign asks for it. Its text form is the kind, with
// what belongs to it: "hang", "spin", "slow:10", "segv", "kill", "exit:3", "skip:2",
// "leave:abort", "compute:1.5".
type Fault struct {
	Kind   Kind
	Factor float64 // of Slow, above 1
	Amount float64 // of Compute, IO and Late
	Status int     // of Exit, 0 to 255
	Ranks  int     // of Skip and Extra: how many ranks do so
	End    string  // of Leave
}

// CausesDivergence reports whether ranks leave the common sequence of collectives by it.
func (f Fault) CausesDivergence() bool { return slices.Contains(divergenceKinds, f.Kind) }

// flipsJump reports whether a jump of the program is sent the other way.
func (f Fault) flipsJump() bool { return f.Kind == Loop || f.Kind == Branch }

// ParseFault reads the text form. "slow" alone is slow:10, "exit" alone exit:1, "skip"
// and "extra" alone are of one rank, "leave" alone is leave:exit, "compute" alone
// compute:2, "io" alone io:10, "late" alone late:1. The error wraps ErrFault.
func ParseFault(text string) (Fault, error) {
	kind, detail, given := strings.Cut(text, ":")
	f := Fault{Kind: Kind(kind)}
	var err error
	switch {
	case f.Kind == Slow:
		f.Factor = 10
		if given {
			f.Factor, err = strconv.ParseFloat(detail, 64)
		}
		if err != nil || !(f.Factor > 1 && f.Factor <= 1e6) {
			return Fault{}, fmt.Errorf("injector: %q: %w: the factor is a number above 1", text, ErrFault)
		}
	case f.Kind == Exit:
		f.Status = 1
		if given {
			f.Status, err = strconv.Atoi(detail)
		}
		if err != nil || f.Status < 0 || f.Status > 255 {
			return Fault{}, fmt.Errorf("injector: %q: %w: the status is 0 to 255", text, ErrFault)
		}
	case f.Kind == Skip || f.Kind == Extra:
		f.Ranks = 1
		if given {
			f.Ranks, err = strconv.Atoi(detail)
		}
		if err != nil || f.Ranks < 1 {
			return Fault{}, fmt.Errorf("injector: %q: %w: the number of ranks is 1 or more", text, ErrFault)
		}
	case f.Kind == Leave:
		if f.End = ToExit; given {
			f.End = detail
		}
		if !slices.Contains([]string{ToExit, ToFinalize, ToAbort}, f.End) {
			return Fault{}, fmt.Errorf("injector: %q: %w: it ends in exit, finalize or abort", text, ErrFault)
		}
	case f.CausesSlowdown() && f.Kind != Steal:
		if f.Amount, err = parseAmount(f.Kind, detail, given); err != nil {
			return Fault{}, err
		}
	case given || f.Kind != Steal && !f.CausesDivergence() && !slices.Contains([]Kind{Hang, Spin, Segv, Kill, None}, f.Kind):
		return Fault{}, fmt.Errorf("injector: %q: %w: hang, spin, slow:FACTOR, segv, kill, exit:STATUS, or "+
			"skip:RANKS, extra:RANKS, leave:END, root, count, type, order, loop, branch, or "+
			"compute:FACTOR, steal, io:MB/S, late:MS", text, ErrFault)
	}
	return f, nil
}

// String gives the text form.
func (f Fault) String() string {
	switch f.Kind {
	case Slow:
		return fmt.Sprintf("%s:%g", f.Kind, f.Factor)
	case Compute, IO, Late:
		return fmt.Sprintf("%s:%g", f.Kind, f.Amount)
	case Exit:
		return fmt.Sprintf("%s:%d", f.Kind, f.Status)
	case Leave:
		return fmt.Sprintf("%s:%s", f.Kind, f.End)
	}
	if f.Ranks > 1 {
		return fmt.Sprintf("%s:%d", f.Kind, f.Ranks)
	}
	return string(f.Kind)
}

// MarshalText gives the text form.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads the text form; that of the zero value, too, which the report
// of a run without a fault has.
func (f *Fault) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*f = Fault{}
		return nil
	}
	var err error
	*f, err = ParseFault(string(text))
	return err
}
