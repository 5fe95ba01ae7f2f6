package injector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"laggard/internal/regular"
)

// Order tells the ranks of one run what is to happen to them. It is handed to
// Exec as a file.
type Order struct {
	// Out is the directory for what the tracers report: rank-N.report.json and
	// rank-N.profile.json.
	Out     string   `json:"out"`
	Strike  *Strike  `json:"strike,omitempty"`  // one fault into one rank
	Profile *Profile `json:"profile,omitempty"` // or a profile of all ranks; its options are used
	// Slow is what makes the rank slow, of faults that do.
	Slow *SlowLibraries `json:"slow,omitempty"`
}

// Strike is one fault at one place.
type Strike struct {
	Rank   int    `json:"rank"`            // the rank that is struck
	Target Target `json:"target"`          // the function at whose entry; for faults that make ranks diverge, the MPI function
	Entry  Entry  `json:"entry,omitempty"` // where entries of MPI calls are counted; "" is library
	// at which entry of the function, from 1; for faults that make ranks diverge, at which of the rank's collectives,
	// and for a jump, when it is reached next after that
	Invocation int         `json:"invocation"`
	Fault      Fault       `json:"fault"`             // what is done to it
	Divergence *Divergence `json:"parting,omitempty"` // further data of faults that make ranks diverge
	// how long after the rank was started, of faults that make it slower; they have no target
	After Duration `json:"after,omitempty"`
}

// Divergence completes a Strike by which ranks leave the common sequence of collectives.
type Divergence struct {
	Jump   *Jump  `json:"jump,omitempty"`   // the conditional jump that is inverted
	Others []Peer `json:"others,omitempty"` // ranks that make the same call and leave as well
}

// Peer is a rank, and its Invocation.
type Peer struct {
	Rank       int `json:"rank"`       // the rank
	Invocation int `json:"invocation"` // at which of its collectives, from 1
}

// Ranks lists those that are struck.
func (s Strike) Ranks() []int {
	out := []int{s.Rank}
	if s.Divergence != nil {
		for _, o := range s.Divergence.Others {
			out = append(out, o.Rank)
		}
	}
	return slices.Sorted(slices.Values(out))
}

// forRank is the strike as it concerns a rank; false if it does not.
func (s Strike) forRank(rank int) (Strike, bool) {
	if rank == s.Rank {
		return s, true
	}
	if s.Divergence != nil {
		for _, o := range s.Divergence.Others {
			if o.Rank == rank {
				s.Rank, s.Invocation = o.Rank, o.Invocation
				return s, true
			}
		}
	}
	return s, false
}

// State is how far a Strike got.
type State string

// The states of a strike.
const (
	Injected   State = "injected"
	NotReached State = "not reached" // the process ended before
	NotFound   State = "not found"   // and no module defined the function
	Failed     State = "failed"
)

// Report is what became of a Strike.
type Report struct {
	Strike
	State   State       `json:"state"`            // injected, "not reached", "not found" or failed
	Error   string      `json:"error,omitempty"`  // why it failed
	Time    time.Time   `json:"time"`             // when the fault took effect; otherwise, when it was reported
	PID     int         `json:"pid"`              // process ID
	TID     int         `json:"tid"`              // thread ID
	Module  string      `json:"module"`           // path of the file that holds the function
	Address uint64      `json:"address"`          // run-time address of the function
	Hits    int         `json:"hits"`             // entries seen
	Call    *Collective `json:"call,omitempty"`   // the collective that was struck
	Toward  bool        `json:"toward,omitempty"` // the jump was inverted so that it leads to the call
}

// ReadOrder reads an order file. Errors in its content wrap ErrOrder.
func ReadOrder(path string) (Order, error) {
	var o Order
	if err := readJSON(path, &o); err != nil {
		return o, err
	}
	return o, o.check()
}

func (o Order) check() error {
	s := o.Strike
	switch {
	case (s == nil) == (o.Profile == nil):
		return fmt.Errorf("injector: %w: it asks for a strike or a profile", ErrOrder)
	case o.Out == "":
		return fmt.Errorf("injector: %w: it has no directory for the report", ErrOrder)
	case s != nil && s.Fault.CausesSlowdown():
		return o.checkSlowdown()
	case s != nil && s.Invocation < 1:
		return fmt.Errorf("injector: %w: invocation %d: they count from 1", ErrOrder, s.Invocation)
	case s != nil && s.Target.Function == "" && s.Target.Offset == 0:
		return fmt.Errorf("injector: %w: the target has neither a function nor an offset", ErrOrder)
	case s != nil && s.Fault.Kind == "":
		return fmt.Errorf("injector: %w: it has no fault", ErrOrder)
	case s != nil && s.Fault.flipsJump() && (s.Divergence == nil || s.Divergence.Jump == nil):
		return fmt.Errorf("injector: %w: it does not say which jump", ErrOrder)
	case o.Profile != nil && o.Profile.Cap < 1:
		return fmt.Errorf("injector: %w: the cap of the profile is %d", ErrOrder, o.Profile.Cap)
	}
	return nil
}

func (o Order) checkSlowdown() error {
	switch {
	case o.Strike.After <= 0:
		return fmt.Errorf("injector: %w: it does not say from when on the rank is slow", ErrOrder)
	case o.Slow == nil || o.Slow.Before == "" || o.Slow.Behind == "":
		return fmt.Errorf("injector: %w: it does not say what makes the rank slow", ErrOrder)
	}
	return nil
}

// Write stores the order for Exec.
func (o Order) Write(path string) error {
	if err := o.check(); err != nil {
		return err
	}
	return writeJSON(path, o)
}

// tracesRank reports whether a rank gets a tracer. Where some are to part, the others are
// looked at, too: theirs is the common sequence.
func (o Order) tracesRank(rank int) bool {
	if o.slows(rank) && o.Strike.Fault.Kind != Steal {
		return false
	}
	return o.Profile != nil || o.Strike.Rank == rank || o.Strike.Fault.CausesDivergence()
}

// slows reports whether a rank gets slower.
func (o Order) slows(rank int) bool {
	return o.Strike != nil && o.Strike.Rank == rank && o.Strike.Fault.CausesSlowdown()
}

// ReadReport returns what became of the strike: the report of the last rank that is
// struck, or of the first that is not. A report that is not there is a
// fs.ErrNotExist.
func (o Order) ReadReport() (Report, error) {
	var out Report
	for i, rank := range o.Strike.Ranks() {
		var r Report
		if err := readJSON(o.reportFile(rank), &r); err != nil {
			return r, err
		}
		if i == 0 || out.State == Injected && (r.State != Injected || r.Time.After(out.Time)) {
			out = r
		}
	}
	return out, nil
}

func (o Order) reportFile(rank int) string {
	return filepath.Join(o.Out, fmt.Sprintf("rank-%d.report.json", rank))
}

// StopTracing tells the tracers of ranks that were to part that it is enough. They do so when
// the next signal reaches their rank.
func (o Order) StopTracing() error { return os.WriteFile(o.stopFile(), nil, 0o600) }

// isStopped reports whether it is enough.
func (o Order) isStopped() bool {
	_, err := os.Stat(o.stopFile())
	return err == nil
}

func (o Order) stopFile() string { return filepath.Join(o.Out, "over") }

// ReadCollectives returns what collectives the ranks 0 to ranks-1 made in a run in
// which some were to part.
func (o Order) ReadCollectives(ranks int) ([][]Collective, error) {
	out := make([][]Collective, ranks)
	for rank := range out {
		text, err := os.ReadFile(o.collectivesFile(rank))
		if err != nil {
			return nil, fmt.Errorf("injector: %w", err)
		}
		for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) { // the last may still be written
			var c Collective
			if err := json.Unmarshal(line, &c); err != nil {
				return nil, fmt.Errorf("injector: %s: %w", o.collectivesFile(rank), err)
			}
			out[rank] = append(out[rank], c)
		}
	}
	return out, nil
}

func (o Order) collectivesFile(rank int) string {
	return filepath.Join(o.Out, fmt.Sprintf("rank-%d.collectives.jsonl", rank))
}

// ReadProfiles returns the profiles of ranks 0 to ranks-1.
func (o Order) ReadProfiles(ranks int) ([]*Profile, error) {
	var out []*Profile
	var failed []error
	for rank := range ranks {
		p := &Profile{}
		failed = append(failed, readJSON(o.profileFile(rank), p))
		out = append(out, p)
	}
	return out, errors.Join(failed...)
}

// ReadProfiles reads the profiles that WriteProfiles has kept.
func ReadProfiles(path string) ([]*Profile, error) {
	var out []*Profile
	err := readJSON(path, &out)
	return out, err
}

// WriteProfiles keeps the profiles of a program for a later call.
func WriteProfiles(path string, profiles []*Profile) error { return writeJSON(path, profiles) }

func (o Order) profileFile(rank int) string {
	return filepath.Join(o.Out, fmt.Sprintf("rank-%d.profile.json", rank))
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("injector: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("injector: %s: %w", path, err)
	}
	return nil
}

// writeJSON writes a file that is there whole or not at all.
func writeJSON(path string, what any) error {
	text, err := json.MarshalIndent(what, "", "  ")
	if err != nil {
		return fmt.Errorf("injector: %s: %w", path, err)
	}
	if err := regular.ReplaceFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("injector: %w", err)
	}
	return nil
}
