package injector

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Order tells the ranks of one run what is to happen to them. It is handed to
// Exec as a file.
type Order struct {
	// Out is the directory for what the tracers report: rank-N.report.json and
	// rank-N.profile.json.
	Out     string   `json:"out"`
	Strike  *Strike  `json:"strike,omitempty"`  // one fault into one rank
	Profile *Profile `json:"profile,omitempty"` // or a profile of all ranks; its options are used
}

// Strike is one fault at one place.
type Strike struct {
	Rank       int    `json:"rank"`
	Target     Target `json:"target"`
	Entry      Entry  `json:"entry,omitempty"` // of an MPI call; "" is Library
	Invocation int    `json:"invocation"`      // from 1: at which entry of the function, by any thread
	Fault      Fault  `json:"fault"`
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
	State   State     `json:"state"`
	Error   string    `json:"error,omitempty"`
	Time    time.Time `json:"time"` // when the fault took effect; else, of the report
	PID     int       `json:"pid"`
	TID     int       `json:"tid"`
	Module  string    `json:"module"` // path
	Address uint64    `json:"address"`
	Hits    int       `json:"hits"` // entries seen
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
	case s != nil && s.Invocation < 1:
		return fmt.Errorf("injector: %w: invocation %d: they count from 1", ErrOrder, s.Invocation)
	case s != nil && s.Target.Function == "" && s.Target.Offset == 0:
		return fmt.Errorf("injector: %w: the target has neither a function nor an offset", ErrOrder)
	case s != nil && s.Fault.Kind == "":
		return fmt.Errorf("injector: %w: it has no fault", ErrOrder)
	case o.Profile != nil && o.Profile.Cap < 1:
		return fmt.Errorf("injector: %w: the cap of the profile is %d", ErrOrder, o.Profile.Cap)
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

// concerns tells whether a rank gets a tracer.
func (o Order) concerns(rank int) bool { return o.Profile != nil || o.Strike.Rank == rank }

// ReadReport returns what became of the strike; a report that is not there is a
// fs.ErrNotExist.
func (o Order) ReadReport() (Report, error) {
	var r Report
	return r, readJSON(o.reportFile(), &r)
}

func (o Order) reportFile() string {
	return filepath.Join(o.Out, fmt.Sprintf("rank-%d.report.json", o.Strike.Rank))
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
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("injector: %w", err)
	}
	if err := os.WriteFile(part, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("injector: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("injector: %w", err)
	}
	return nil
}
