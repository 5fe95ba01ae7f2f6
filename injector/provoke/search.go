package provoke

import (
	"context"
	"errors"
	"fmt"
	"time"

	"laggard/model/mpi"
)

// Failure says how a run failed; "" it did not.
type Failure string

// The failures.
const (
	Hangs    Failure = "hangs"
	Crashes  Failure = "crashes"
	Fails    Failure = "fails"
	Rejected Failure = "rejected" // by the command that judges the output
)

// Outcome is what came of a run.
type Outcome struct {
	Failure Failure       `json:"failure,omitempty"` // hangs, crashes, fails or rejected (by --expect); "": it did not fail
	Status  int           `json:"status"`            // exit status of the launcher, 128+n if a signal ended it
	Void    string        `json:"void,omitempty"`    // why the run says nothing, such as that recording stopped; "": it counts
	Dir     string        `json:"dir"`               // its run directory
	Took    time.Duration `json:"-"`
	Made    []Made        `json:"-"`
}

// Runner runs the program, once for each call.
type Runner interface {
	// Reference runs it as it is and looks where choices are open.
	Reference(ctx context.Context) (*Outcome, *Reference, error)
	// Run runs it with the choices of a schedule; nil: as it is. why is shown to the user.
	Run(ctx context.Context, s *Schedule, why string) (*Outcome, error)
}

// Search says how a failure is looked for.
type Search struct {
	Runner Runner
	Runs   int           // perturbed runs at most before a failure is found
	Limit  time.Duration // for the runs until one fails, and again for those that reduce the failure; 0: none
	Seed   uint64
	Only   mpi.Choice // kinds that are tried
	Repeat int        // runs of what was found, and without it, at the end
	end    time.Time  // of what is being done; zero: none
}

// Ratio is how many of how many runs failed.
type Ratio struct {
	Failed int `json:"failed"` // runs that failed in the same way
	Runs   int `json:"runs"`   // of so many
}

// String is "N of M runs".
func (r Ratio) String() string { return fmt.Sprintf("%d of %d runs", r.Failed, r.Runs) }

// Tried is what was tried of a kind.
type Tried struct {
	Kind    string `json:"kind"`    // a kind of choice, as for --only
	Sites   int    `json:"sites"`   // where choices were made
	Open    int    `json:"open"`    // where they are open
	Made    uint64 `json:"made"`    // choices that were made, in all runs
	Choices uint64 `json:"choices"` // that were open in the first run
}

// Result is what a search found.
type Result struct {
	Reference   *Outcome   `json:"reference"`             // the first run, in which nothing was chosen
	Runs        int        `json:"runs"`                  // perturbed runs until one failed
	Voided      int        `json:"voided"`                // of these, in which not every rank was recorded
	LongestUS   int64      `json:"longest_us"`            // microseconds that one choice held a call back at most
	BudgetUS    int64      `json:"budget_us"`             // microseconds that all choices held a rank back at most
	Tried       []Tried    `json:"tried"`                 // what was tried, by kind
	Unconfirmed []*Outcome `json:"unconfirmed,omitempty"` // failures that did not come again
	Failed      *Outcome   `json:"failed,omitempty"`      // a run that failed with what is left; nil: none failed
	Schedule    *Schedule  `json:"schedule,omitempty"`    // what is left of it
	With        Ratio      `json:"with"`                  // runs with this schedule
	Without     Ratio      `json:"without"`               // and without one
	OutOfTime   bool       `json:"out_of_time,omitempty"` // the time was over before all was done
}

// ErrReference is wrapped by the error about a program that fails as it is.
var ErrReference = errors.New("the program fails without other choices")

// ErrUnrecorded is wrapped by the error about a program of which nothing is known, so that nothing can be tried.
var ErrUnrecorded = errors.New("nothing can be tried")

// errTime ends a search whose time is over.
var errTime = errors.New("out of time")

// Run looks for a failure, and reduces it.
func (s *Search) Run(ctx context.Context) (*Result, error) {
	s.limit(1)
	first, ref, err := s.Runner.Reference(ctx)
	if err != nil {
		return nil, err
	}
	if first.Failure != "" {
		return nil, fmt.Errorf("%w: it %s", ErrReference, first.Failure)
	}
	out := &Result{Reference: first, LongestUS: ref.Longest().Microseconds(), BudgetUS: ref.Budget().Microseconds(),
		Without: Ratio{Runs: 1}}
	t := newTally(ref, s.Only)
	d := newDrawer(ref, s.Only, s.Seed)
	for n := 0; n < s.Runs && len(d.kinds) > 0 && out.Failed == nil; n++ {
		schedule := d.draw(n)
		o, err := s.run(ctx, schedule, s.progress(n, schedule, t))
		if errors.Is(err, errTime) {
			out.OutOfTime = true
			break
		}
		if err != nil {
			return nil, err
		}
		out.Runs++
		t.add(o.Made)
		switch {
		case o.Void != "":
			out.Voided++
		case o.Failure != "":
			if err := s.reduceFailure(ctx, out, schedule, o, t.known); err != nil {
				return nil, err
			}
		}
	}
	out.Tried = t.list()
	return out, nil
}

// progress says which run begins, what it makes otherwise, and what was done before.
func (s *Search) progress(number int, schedule *Schedule, t *tally) string {
	text := fmt.Sprintf("run %d of %d: %s", number+1, s.Runs, schedule.kinds())
	if number > 0 {
		text += fmt.Sprintf("; %d choices made so far", t.total())
	}
	if s.Limit > 0 {
		text += fmt.Sprintf("; %s left", max(time.Until(s.end), 0).Round(time.Second))
	}
	return text
}

// limit begins something that may take a share of the limit.
func (s *Search) limit(share float64) {
	if s.Limit > 0 {
		s.end = time.Now().Add(time.Duration(share * float64(s.Limit)))
	}
}

// run runs a schedule unless the time is over.
func (s *Search) run(ctx context.Context, schedule *Schedule, why string) (*Outcome, error) {
	if s.Limit > 0 && time.Now().After(s.end) {
		return nil, errTime
	}
	return s.Runner.Run(ctx, schedule, why)
}

// reducingShare is how much of the limit goes to reducing a failure; the rest of it, to counting how often it comes.
const reducingShare = 0.75

// confirmations are the runs after a first failure that tell how surely it comes again.
const confirmations = 3

// reduceFailure has a failure come again and reduces what it takes. When the time is over, what is left by then stays.
func (s *Search) reduceFailure(ctx context.Context, out *Result, schedule *Schedule, failed *Outcome, known sites) error {
	var stopped error
	last := failed
	s.limit(reducingShare)
	// again reports whether a schedule fails as the first one did, in so many runs of so many.
	again := func(candidate *Schedule, want, of int, why string) (bool, []Made) {
		got := 0
		for i := 0; i < of && stopped == nil && got < want && want-got <= of-i; i++ {
			o, err := s.run(ctx, candidate, why)
			if err != nil {
				stopped = err
				return false, nil
			}
			if o.Void == "" && o.Failure == failed.Failure {
				got, last = got+1, o
			}
		}
		return got >= want, last.Made
	}
	sure, _ := again(schedule, confirmations, confirmations, "again")
	if !sure {
		some, _ := again(schedule, 1, confirmations, "again")
		if !some && stopped == nil {
			out.Unconfirmed = append(out.Unconfirmed, failed)
			return nil
		}
	}
	want, of := 2, 2
	if !sure {
		want, of = 1, confirmations // it needs luck besides
	}
	out.Schedule = schedule.reduce(last.Made, known, func(c *Schedule) (bool, []Made) { return again(c, want, of, "reducing") })
	out.Failed = last
	if errors.Is(stopped, errTime) {
		out.OutOfTime, stopped = true, nil
	}
	s.limit(1 - reducingShare)
	s.repeat(ctx, out, failed.Failure, &stopped)
	if errors.Is(stopped, errTime) {
		out.OutOfTime, stopped = true, nil
	}
	if out.With.Runs > 0 && out.With.Failed == 0 { // what was reduced was luck
		out.Unconfirmed = append(out.Unconfirmed, failed)
		out.Failed, out.Schedule, out.With = nil, nil, Ratio{}
		s.limit(1)
	}
	return stopped
}

// repeat counts how often runs fail with what is left, and without it.
func (s *Search) repeat(ctx context.Context, out *Result, want Failure, stopped *error) {
	count := func(schedule *Schedule, r *Ratio, runs int, why string) {
		for r.Runs < runs && *stopped == nil {
			o, err := s.run(ctx, schedule, why)
			if err != nil {
				*stopped = err
				return
			}
			if r.Runs++; o.Failure == want {
				r.Failed++
				if schedule != nil {
					out.Failed = o
				}
			}
		}
	}
	count(out.Schedule, &out.With, s.Repeat, "with what is left")
	count(nil, &out.Without, s.Repeat, "without")
}
