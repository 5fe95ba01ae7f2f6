package provoke

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// clause says it of a program.
func (f Failure) clause() string {
	if f == Rejected {
		return "--expect rejects its output"
	}
	return "it " + string(f)
}

// Outcome is what came of a run.
type Outcome struct {
	Failure Failure       `json:"failure,omitempty"` // hangs, crashes, fails or rejected (by --expect); "": it did not fail
	Status  int           `json:"status"`            // exit status of the launcher, 128+n if a signal ended it
	Void    string        `json:"void,omitempty"`    // why the run says nothing, such as that recording stopped; "": it counts
	Dir     string        `json:"dir"`               // its run directory
	Took    time.Duration `json:"-"`
	Made    []Made        `json:"-"`
	Open    []*Open       `json:"-"`                 // of a run that failed: where choices were open in it, which the first run need not have reached
	With    *Ratio        `json:"with,omitempty"`    // of one that is not confirmed: runs with what was left of its choices, if it came again
	Without *Ratio        `json:"without,omitempty"` // and runs without, by then
}

// Runner runs the program, once for each call.
type Runner interface {
	// Reference runs it as it is and looks where choices are open; the Reference is nil if it failed.
	Reference(ctx context.Context, why string) (*Outcome, *Reference, error)
	// Run runs it with the choices of a schedule; nil: as it is. why is shown to the user.
	Run(ctx context.Context, s *Schedule, why string, p Patience) (*Outcome, error)
}

// Patience says when a standstill counts as a hang.
type Patience int

// With Sure nothing but a hang takes so long; Brief is for the many candidates of a reduction once a run was seen to hang:
// a run that stands still for a few times its usual length hangs as that one did.
const (
	Sure Patience = iota
	Brief
)

// Search says how a failure is looked for.
type Search struct {
	Runner Runner
	Runs   int           // perturbed runs at most before a failure is found
	Limit  time.Duration // for the runs until one fails, and again for those that reduce the failure; 0: none
	Seed   uint64
	Only   mpi.Choice // kinds that are tried
	Repeat int        // runs of what was found, and without it, at the end
	end    time.Time  // of what is being done; zero: none

	reducing time.Duration // was taken by reductions of failures that did not come again
}

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
	Reference   *Outcome   `json:"reference"`             // a run that did not fail, in which nothing was chosen
	Unperturbed *Outcome   `json:"unperturbed,omitempty"` // a run that failed though nothing was chosen; nil: none did
	Runs        int        `json:"runs"`                  // perturbed runs until one failed
	Voided      int        `json:"voided"`                // of these, in which not every rank was recorded
	LongestUS   int64      `json:"longest_us"`            // microseconds that one choice held a call back at most
	BudgetUS    int64      `json:"budget_us"`             // microseconds that all choices held a rank back at most
	Closed      []string   `json:"closed,omitempty"`      // kinds that were asked for, if the program leaves no choice of them open
	Tried       []Tried    `json:"tried"`                 // what was tried, by kind
	Unconfirmed []*Outcome `json:"unconfirmed,omitempty"` // failures that did not come again, or perhaps by chance
	Failed      *Outcome   `json:"failed,omitempty"`      // a run that failed with what is left; nil: none failed
	Schedule    *Schedule  `json:"schedule,omitempty"`    // what is left of it; nil with a failed run: it takes no choice
	With        Ratio      `json:"with"`                  // runs with this schedule
	Without     Ratio      `json:"without"`               // and without one
	OutOfTime   bool       `json:"out_of_time,omitempty"` // the time was over before all was done
}

// failsByItself reports whether a run without choices failed as one with choices did, which these do not make fail more often.
func (r *Result) failsByItself() bool {
	return r.Unperturbed != nil && slices.ContainsFunc(r.Unconfirmed, func(o *Outcome) bool { return o.Failure == r.Unperturbed.Failure })
}

// ErrReference is wrapped by the error about a program that fails as it is.
var ErrReference = errors.New("the program fails without other choices")

// ErrUnrecorded is wrapped by the error about a program of which nothing is known, so that nothing can be tried.
var ErrUnrecorded = errors.New("nothing can be tried")

// errTime ends a search whose time is over.
var errTime = errors.New("out of time")

// Run looks for a failure, and reduces it.
func (s *Search) Run(ctx context.Context) (*Result, error) {
	out := &Result{}
	ref, err := s.findReference(ctx, out)
	if err != nil || out.Failed != nil {
		return out, err
	}
	s.limit(1)
	out.LongestUS, out.BudgetUS = ref.Longest().Microseconds(), ref.Budget().Microseconds()
	t := newTally(ref, s.Only)
	d := newDrawer(ref, s.Only, s.Seed)
	if len(d.kinds) == 0 {
		for _, c := range mpi.AllChoices() {
			if s.Only&c != 0 {
				out.Closed = append(out.Closed, c.String())
			}
		}
	}
	for n := 0; n < s.Runs && len(d.kinds) > 0 && out.Failed == nil; n++ {
		schedule := d.draw(n)
		o, err := s.run(ctx, schedule, s.progress(n, schedule, t), Sure)
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
			t.known.learn(o.Open)
			if err := s.reduceFailure(ctx, out, schedule, o, t.known); err != nil {
				return nil, err
			}
		}
	}
	out.Tried = t.list()
	if out.Failed == nil && out.failsByItself() {
		out.Failed, out.With = out.Unperturbed, out.Without
	}
	return out, nil
}

// references are the runs without choices if the first of them fails: some programs do now and then.
const references = 3

// findReference finds a run to compare with. That a program fails in some runs without any choice, and in others not, is a finding by
// itself; in all of them, an error.
func (s *Search) findReference(ctx context.Context, out *Result) (ref *Reference, err error) {
	why := "as it is"
	for out.Without.Runs < references && (out.Without.Failed > 0 || out.Without.Runs == 0) {
		o, r, err := s.Runner.Reference(ctx, why)
		if err != nil {
			return nil, err
		}
		out.Without.Runs++
		if o.Failure == "" {
			if ref == nil {
				ref, out.Reference = r, o
			}
		} else {
			out.Without.Failed++
			out.Unperturbed = o
		}
		why = fmt.Sprintf("as it is, once more, as it failed in %s", out.Without)
	}
	switch {
	case ref == nil:
		return nil, fmt.Errorf("%w: %s in %s", ErrReference, out.Unperturbed.Failure.clause(), out.Without)
	case out.Without.Failed > 1:
		out.Failed, out.With = out.Unperturbed, out.Without
	}
	return ref, nil
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

// limit begins something that may take a share of the limit, less what reductions have taken.
func (s *Search) limit(share float64) {
	if s.Limit > 0 {
		s.end = time.Now().Add(time.Duration(share*float64(s.Limit)) - s.reducing)
	}
}

// run runs a schedule unless the time is over.
func (s *Search) run(ctx context.Context, schedule *Schedule, why string, p Patience) (*Outcome, error) {
	if s.Limit > 0 && time.Now().After(s.end) {
		return nil, errTime
	}
	return s.Runner.Run(ctx, schedule, why, p)
}

// reducingShare is how much of the limit goes to reducing a failure; the rest of it, to counting how often it comes.
const reducingShare = 0.75

// confirmations are the runs after a first failure that tell how surely it comes again.
const confirmations = 3

// reducer reduces a failure.
type reducer struct {
	*Search
	want     Failure
	took     time.Duration // the run without choices
	patience Patience
	certain  bool        // the failure came again each time
	good     []*Schedule // candidates that failed, each smaller than the one before
	last     *Outcome    // the latest run that failed so
	known    sites       // at which choices are open
	made     []Made      // in all runs that failed so: each ended before others were made
	stopped  error       // the time was over, or a run was not possible
}

// again reports whether a schedule fails as the first one did, in so many runs of so many; it makes no more runs than that takes.
func (r *reducer) again(ctx context.Context, candidate *Schedule, want, of int, why string) bool {
	got := 0
	for i := 0; i < of && r.stopped == nil && got < want && want-got <= of-i; i++ {
		o, err := r.run(ctx, candidate, why, r.patience)
		if err != nil {
			r.stopped = err
			return false
		}
		if o.Void == "" && o.Failure == r.want {
			got, r.last = got+1, o
			r.known.learn(o.Open)
			r.made = slices.Concat(r.made, o.Made)
		}
	}
	return got >= want
}

// reduceFailure has a failure come again and reduces what it takes. When the time is over, what is left by then stays. The
// time of the search stands still meanwhile, and all reductions together have one limit.
func (s *Search) reduceFailure(ctx context.Context, out *Result, schedule *Schedule, failed *Outcome, known sites) error {
	began, end := time.Now(), s.end
	defer func() {
		s.reducing += time.Since(began)
		s.end = end.Add(time.Since(began))
	}()
	r := &reducer{Search: s, want: failed.Failure, took: out.Reference.Took, last: failed, known: known, made: failed.Made}
	if failed.Failure == Hangs {
		r.patience = Brief
	}
	s.limit(reducingShare)
	sure := r.again(ctx, schedule, confirmations, confirmations, "again")
	if longer := r.lengthen(ctx, out, schedule, sure); longer != nil {
		schedule, sure = longer, true
	} else if !sure && !r.again(ctx, schedule, 1, confirmations, "again") && r.stopped == nil {
		out.Unconfirmed = append(out.Unconfirmed, failed)
		return nil
	}
	r.certain = sure
	schedule = r.shorten(ctx, schedule, sure)
	left, sure := r.reduce(ctx, schedule, sure)
	r.noteTime(out)
	s.limit(1)
	if sure {
		left = r.surest(ctx, left)
	}
	out.Schedule, out.Failed = left, r.last
	r.repeat(ctx, out)
	r.noteTime(out)
	if !r.isCause(out) { // it may have been luck
		with, without := out.With, out.Without
		failed.With, failed.Without = &with, &without
		out.Unconfirmed = append(out.Unconfirmed, failed)
		out.Failed, out.Schedule, out.With = nil, nil, Ratio{}
	}
	return r.stopped
}

// timesLonger is by how much delays are multiplied that were perhaps only just long enough.
const timesLonger = 4

// lengthen returns a schedule with longer delays with which the program fails each time, where it does not with the schedule itself:
// how long others take changes from run to run. nil: there is none.
func (r *reducer) lengthen(ctx context.Context, out *Result, schedule *Schedule, sure bool) *Schedule {
	if sure {
		return nil
	}
	longer, made := schedule.lengthened(timesLonger, out.LongestUS, out.BudgetUS), r.made
	r.made = nil
	if longer != nil && r.again(ctx, longer, confirmations, confirmations, "longer") {
		return longer
	}
	r.made = made
	return nil
}

// Runs that take longer than a few times the one without choices, are tried with a part of all delays.
const (
	slowRun = 2
	partOf  = 8
)

// shorten returns the schedule with shorter delays if it fails with them all the same: the runs that reduce it take less time.
func (r *reducer) shorten(ctx context.Context, schedule *Schedule, sure bool) *Schedule {
	if r.want == Hangs || r.last.Took < slowRun*r.took { // how long a hang takes says nothing
		return schedule
	}
	want, made := 1, r.made
	if sure {
		want = confirmations - 1
	}
	r.made = nil
	if shorter := schedule.shortened(partOf); r.again(ctx, shorter, want, confirmations-1, "shorter") {
		return shorter
	}
	r.made = made
	return schedule
}

// reduce reduces a schedule. A candidate is good if it fails once, or twice in a row where that decides much; if the failure needs
// luck besides, once in three runs. So one run tells of most, and surest goes back if that was luck. sure is false from where on
// luck was needed.
func (r *reducer) reduce(ctx context.Context, schedule *Schedule, sure bool) (left *Schedule, stillSure bool) {
	r.good = []*Schedule{schedule}
	red := &reduction{Schedule: schedule, demand: lucky, fails: func(c *Schedule, d demand) (bool, []Made) {
		want, of := 1, 1
		switch d {
		case twice:
			want, of = 2, 2
		case lucky:
			of = confirmations
		}
		ok := r.again(ctx, c, want, of, "reducing")
		if ok {
			r.good = append(r.good, c)
		}
		return ok, r.last.Made
	}}
	if sure {
		red.demand = twice
	}
	left = red.run(r.made, r.known)
	return left, red.demand != lucky
}

// surest goes back from what is left to an earlier candidate if it does not fail again and again, with one exception: some of many
// that fail by luck seem good. The first one was seen to fail.
func (r *reducer) surest(ctx context.Context, left *Schedule) *Schedule {
	for len(r.good) > 1 && r.stopped == nil && !r.again(ctx, left, confirmations, confirmations+1, "reduced") {
		r.good = r.good[:(len(r.good)+1)/2]
		left = r.good[len(r.good)-1]
	}
	return left
}

// noteTime notes in the result that the time was over, which is no error.
func (r *reducer) noteTime(out *Result) {
	if errors.Is(r.stopped, errTime) {
		out.OutOfTime, r.stopped = true, nil
	}
}

// isCause reports whether what was counted tells that the choices make the program fail. Where a failure came again each time, few runs
// are enough, or none if there was no time.
func (r *reducer) isCause(out *Result) bool {
	return r.certain && out.With.Failed == out.With.Runs && out.Without.Failed == 0 || out.With.isSurelyMoreOften(out.Without)
}

// mostRepeats is how many times as many runs are counted where fewer do not tell whether choices make the program fail.
const mostRepeats = 4

// repeat counts how often runs fail with what is left, and without it, with all patience.
func (r *reducer) repeat(ctx context.Context, out *Result) {
	count := func(schedule *Schedule, ratio *Ratio, runs int, why string) {
		for n := 0; n < runs && r.stopped == nil; n++ {
			o, err := r.run(ctx, schedule, why, Sure)
			if err != nil {
				r.stopped = err
				return
			}
			if o.Void != "" {
				continue
			}
			if ratio.Runs++; o.Failure == r.want {
				ratio.Failed++
				if schedule != nil {
					out.Failed = o
				} else {
					out.Unperturbed = o
				}
			}
		}
	}
	for runs := r.Repeat; runs <= mostRepeats*r.Repeat && r.stopped == nil; runs += r.Repeat {
		count(out.Schedule, &out.With, runs-out.With.Runs, "with what is left")
		count(nil, &out.Without, runs-out.Without.Runs, "without")
		if !out.With.isMoreOften(out.Without) || r.isCause(out) {
			return
		}
	}
}
