package synth

import (
	"fmt"
	"strconv"
	"strings"

	"laggard/model"
)

// Kind is what goes wrong in a synthetic job.
type Kind string

// The kinds of fault.
const (
	Healthy  Kind = "none"     // nothing: all ranks have finished
	Compute  Kind = "compute"  // ranks compute and never come to their next call
	Deadlock Kind = "deadlock" // ranks in a circle wait for a message each from the next
	Message  Kind = "message"  // a rank waits for a message that its peer, waiting for it elsewhere, never sends
	Killed   Kind = "killed"   // processes died without a word
	Exited   Kind = "exited"   // processes ended before MPI_Finalize
	Missing  Kind = "missing"  // processes left no record
	// Skipped: ranks left out a collective on a communicator of some of them, and went on
	// to where all meet; the other members wait for them there.
	Skipped Kind = "skipped"
)

// Fault says what goes wrong, and where.
type Fault struct {
	Kind  Kind
	Ranks model.RankSet // empty: drawn
	// After is the MPI function behind which it happens, or the start of its
	// name; or the number of a state, such as "76"; "" is drawn.
	After string
}

// ParseFault reads a fault as a user writes it: the kind, then what is known of
// the place, such as "compute:ranks=17,after=MPI_Send". Errors wrap ErrFault.
func ParseFault(text string) (Fault, error) {
	kind, rest, _ := strings.Cut(text, ":")
	f := Fault{Kind: Kind(kind)}
	switch f.Kind {
	case Healthy, Compute, Deadlock, Message, Killed, Exited, Missing, Skipped:
	default:
		return Fault{}, fmt.Errorf(
			"synth: %w: %.40q is none of none, compute, deadlock, message, killed, exited, missing, skipped",
			ErrFault, kind)
	}
	for rest != "" {
		key, value, _ := strings.Cut(rest, "=")
		// A set of ranks has commas as well: a value ends where the next key begins.
		value, rest = cutKey(value)
		switch key {
		case "ranks":
			set, err := model.ParseRankSet(value)
			if err != nil {
				return Fault{}, fmt.Errorf("synth: %w: %w", ErrFault, err)
			}
			f.Ranks = set
		case "after":
			f.After = value
		default:
			return Fault{}, fmt.Errorf("synth: %w: %.40q is neither ranks nor after", ErrFault, key)
		}
	}
	return f, nil
}

func cutKey(text string) (value, rest string) {
	for at := 0; ; {
		comma := strings.IndexByte(text[at:], ',')
		if comma < 0 {
			return text, ""
		}
		at += comma + 1
		if key, _, ok := strings.Cut(text[at:], "="); ok && (key == "ranks" || key == "after") {
			return text[:at-1], text[at:]
		}
	}
}

// String writes the fault as ParseFault reads it.
func (f Fault) String() string {
	var parts []string
	if f.Ranks.Len() > 0 {
		parts = append(parts, "ranks="+f.Ranks.String())
	}
	if f.After != "" {
		parts = append(parts, "after="+f.After)
	}
	if parts == nil {
		return string(f.Kind)
	}
	return string(f.Kind) + ":" + strings.Join(parts, ",")
}

// matchesState reports whether a state is one that the fault names.
func (f Fault) matchesState(index int, s *model.State) bool {
	if n, err := strconv.Atoi(f.After); err == nil {
		return n == index
	}
	return strings.HasPrefix(strings.ToLower(s.Call), strings.ToLower(f.After))
}
