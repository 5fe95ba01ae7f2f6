package provoke

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"laggard/internal/tomlfile"
	"laggard/model/mpi"
)

// Limits that the recorder has, too (recorder/perturb/schedule.c).
const (
	scheduleVersion = 1
	maxRules        = 4096
	million         = 1_000_000
	maxDelayUS      = 60 * million // no choice may hold a call back for longer
)

// EveryRank is the rank of a rule for all of them.
const EveryRank = -1

// Schedule says which choices are made otherwise in a run. The same schedule makes the
// same choices in each run, as far as the program comes to them.
type Schedule struct {
	Version   int    `toml:"version" json:"version"`       // of the form of the file
	Seed      uint32 `toml:"seed" json:"seed"`             // from which choices are drawn
	LongestUS int64  `toml:"longest_us" json:"longest_us"` // that one choice may hold a call back
	BudgetUS  int64  `toml:"budget_us" json:"budget_us"`   // that calls of one process may be held back, all in all
	Rules     []Rule `toml:"choice" json:"choices"`        // which choices are made
}

// Rule is a choice, or what many choices are drawn by.
type Rule struct {
	Kind  string `toml:"kind" json:"kind"` // a kind of choice, as for --only
	Rank  int    `toml:"rank" json:"rank"` // -1: any
	Site         // all of it empty: any
	Count uint64 `toml:"count,omitempty" json:"count,omitempty"` // the count-th choice at the site, from 1; 0: any
	Often int    `toml:"often" json:"often"`                     // of a million choices
	Value int64  `toml:"value" json:"value"`                     // microseconds, how often, or which one; the most of it if Count is 0
	Call  string `toml:"call,omitempty" json:"call,omitempty"`   // for readers: the functions of MPI that are called there
	Where string `toml:"where,omitempty" json:"where,omitempty"` // for readers: their lines
}

// Choice is the kind of the rule; 0 if there is none of that name.
func (r Rule) Choice() mpi.Choice {
	c, _ := mpi.ParseChoice(r.Kind)
	return c
}

// ErrSchedule is wrapped by the errors of a schedule that cannot be followed.
var ErrSchedule = errors.New("not a schedule of laggard provoke")

// ReadSchedule reads a schedule from a file.
func ReadSchedule(path string) (*Schedule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := ParseSchedule(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return s, nil
}

// ParseSchedule reads a schedule. An error begins with the number of a line.
func ParseSchedule(text string) (*Schedule, error) {
	var s Schedule
	meta, err := toml.Decode(text, &s)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return nil, fmt.Errorf("%d: %w: %s", parse.Position.Line, ErrSchedule, parse.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("1: %w: %w", ErrSchedule, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%d: %w: unknown key %q", tomlfile.KeyLine(text, unknown[0]), ErrSchedule, unknown[0])
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("1: %w: %w", ErrSchedule, err)
	}
	return &s, nil
}

// check returns what the recorder would not follow.
func (s *Schedule) check() error {
	switch {
	case s.Version != scheduleVersion:
		return fmt.Errorf("version %d, want %d", s.Version, scheduleVersion)
	case s.LongestUS < 0 || s.LongestUS > maxDelayUS:
		return fmt.Errorf("longest_us = %d: must be from 0 to %d", s.LongestUS, int64(maxDelayUS))
	case s.BudgetUS < 0:
		return fmt.Errorf("budget_us = %d: must not be negative", s.BudgetUS)
	case len(s.Rules) > maxRules:
		return fmt.Errorf("%d choices: must be at most %d", len(s.Rules), maxRules)
	}
	for i, r := range s.Rules {
		if err := r.check(); err != nil {
			return fmt.Errorf("choice %d: %w", i+1, err)
		}
	}
	return nil
}

func (r Rule) check() error {
	if _, err := mpi.ParseChoice(r.Kind); err != nil {
		return fmt.Errorf("kind: %w", err)
	}
	if _, err := strconv.ParseUint(r.Communicator, 16, 64); r.Communicator != "" && err != nil {
		return fmt.Errorf("communicator %q: must be a hexadecimal number", r.Communicator)
	}
	switch {
	case r.Rank < EveryRank || int(int32(r.Rank)) != r.Rank:
		return fmt.Errorf("rank %d: must be a rank, or %d", r.Rank, EveryRank)
	case r.Choice() == mpi.Synchronising && r.Rank != EveryRank:
		return errors.New("the ranks of a communicator must choose alike: rank must be -1")
	case r.Often < 0 || r.Often > million:
		return fmt.Errorf("often = %d: must be from 0 to %d", r.Often, million)
	case r.Value < 0:
		return fmt.Errorf("value = %d: must not be negative", r.Value)
	}
	return nil
}

// Text is the schedule as a file that ReadSchedule reads.
func (s *Schedule) Text() (string, error) {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(s)
	return b.String(), err
}

// Lines is the schedule in the form that the recorder reads: a line with the numbers of the
// whole, and one for each rule with kind, rank, site, count, often and value.
func (s *Schedule) Lines() string {
	var b strings.Builder
	fmt.Fprintf(&b, "laggard-schedule %d seed %d longest %d budget %d\n", s.Version, s.Seed, s.LongestUS, s.BudgetUS)
	for _, r := range s.Rules {
		fmt.Fprintf(&b, "rule %s %d %x %d %d %d\n", r.Kind, r.Rank, r.Key(), r.Count, r.Often, r.Value)
	}
	return b.String()
}

// kinds are those of its rules.
func (s *Schedule) kinds() mpi.Choice { return kindsOf(s.Rules) }

func kindsOf(rules []Rule) (all mpi.Choice) {
	for _, r := range rules {
		all |= r.Choice()
	}
	return all
}

// shortened is the schedule with all times divided.
func (s *Schedule) shortened(by int64) *Schedule {
	out := s.with(slices.Clone(s.Rules))
	out.LongestUS /= by
	out.BudgetUS /= by
	for i, r := range out.Rules {
		if r.Choice()&(lateness|mpi.EndsDelay) != 0 {
			out.Rules[i].Value = min(r.Value, out.LongestUS)
		}
	}
	return out
}

// lengthened is the schedule with all delays multiplied, up to the most that any schedule has. nil: no delay becomes longer.
func (s *Schedule) lengthened(by, longestUS, budgetUS int64) *Schedule {
	out := s.with(slices.Clone(s.Rules))
	out.LongestUS = max(s.LongestUS, min(by*s.LongestUS, longestUS))
	out.BudgetUS = max(s.BudgetUS, budgetUS)
	longer := false
	for i, r := range out.Rules {
		if r.Choice()&(lateness|mpi.EndsDelay) != 0 {
			out.Rules[i].Value = max(r.Value, min(by*r.Value, out.LongestUS))
			longer = longer || out.Rules[i].Value > r.Value
		}
	}
	if !longer {
		return nil
	}
	return out
}

// with is the schedule with other rules.
func (s *Schedule) with(rules []Rule) *Schedule {
	out := *s
	out.Rules = rules
	return &out
}
