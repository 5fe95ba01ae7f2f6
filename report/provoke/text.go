package provoke

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"laggard/injector/provoke"
	"laggard/model/mpi"
	"laggard/report/words"
)

// Report is what is printed.
type Report struct {
	SchemaVersion int `json:"schema_version"` // version of this JSON form
	provoke.Result
	Condition string   `json:"condition,omitempty"` // the choices that the failure takes, in a clause
	Reason    string   `json:"reason,omitempty"`    // why they are legal
	File      string   `json:"file,omitempty"`      // the schedule that replays the failure
	Command   []string `json:"command"`             // of the job
	Untried   []string `json:"untried,omitempty"`   // what could not be tried, and why
}

// New sums up a result. file is where the schedule was written, if a failure was found.
func New(r *provoke.Result, file string, command, untried []string) *Report {
	out := &Report{SchemaVersion: 1, Result: *r, Command: command, Untried: untried}
	if r.Schedule != nil {
		out.Condition, out.Reason, out.File = Condition(r.Schedule), Reason(r.Schedule), file
	}
	return out
}

// Headline says in a sentence what was found.
func (r *Report) Headline() string {
	switch len(r.Closed) {
	case 0:
	case len(mpi.AllChoices()):
		return "Nothing could be tried: the program leaves no choice open."
	default:
		return "Nothing could be tried: the program leaves no choice of kind " + strings.Join(r.Closed, ", ") + " open."
	}
	if r.Failed == nil {
		runs := words.Count(r.Runs, "perturbed run", "perturbed runs")
		if len(r.Unconfirmed) > 0 {
			return fmt.Sprintf("No cause was found in %s, of which %d failed.", runs, len(r.Unconfirmed))
		}
		return fmt.Sprintf("Nothing failed in %s.", runs)
	}
	how := words.Upper(string(r.Failed.Failure))
	if r.Schedule == nil {
		return fmt.Sprintf("%s in %s without any perturbation.", how, r.With)
	}
	if r.With.Runs > 0 {
		how += " in " + r.With.String()
	}
	return fmt.Sprintf("%s when %s; in %s otherwise.", how, r.Condition, r.Without)
}

// Ran reports whether perturbed runs were made: the program does not always fail by itself, and choices are open.
func (r *Report) Ran() bool { return r.Failed == nil && len(r.Closed) == 0 || r.Runs > 0 }

// replay is the command that makes the program fail again, "" if it did not.
func (r *Report) replay() string {
	if r.Schedule == nil {
		return ""
	}
	return fmt.Sprintf("laggard run --perturb %s -- %s", words.ShellCommand(r.File), words.ShellCommand(r.Command...))
}

// notes say what was not tried, and why, and what came once.
func (r *Report) notes() (out []string) {
	if r.Unperturbed != nil && r.Ran() {
		out = append(out, fmt.Sprintf("A run without any perturbation %s: %s", r.Unperturbed.Failure, r.Unperturbed.Dir))
	}
	for _, o := range r.Unconfirmed {
		again := " once and not again"
		switch {
		case o.With != nil && o.With.Runs == 0:
			again = " once, which there was no time to repeat"
		case o.With != nil && o.With.Failed == 0:
			again = fmt.Sprintf(" now and then, though in %s with its choices", o.With)
		case o.With != nil:
			again = fmt.Sprintf(", as %s do with its choices and %s without, which may be chance", o.With, o.Without)
		}
		out = append(out, fmt.Sprintf("A run that %s%s: %s", o.Failure, again, o.Dir))
	}
	switch {
	case r.OutOfTime && r.Schedule != nil:
		out = append(out, "The time was over before the choices were reduced and the failures counted to the end; --time gives more.")
	case r.OutOfTime:
		out = append(out, "The time was over before all was tried; --time gives more.")
	}
	if r.Voided > 0 {
		out = append(out, fmt.Sprintf("Not counted: %s in which not every rank was recorded.", words.Count(r.Voided, "run", "runs")))
	}
	for _, what := range r.Untried {
		out = append(out, "Not tried: "+what)
	}
	return out
}

// Text prints the report; the diagnosis of the failed run follows elsewhere.
func (r *Report) Text(w io.Writer) error {
	p := &words.Printer{}
	p.Line("%s", r.Headline())
	if r.Schedule != nil {
		p.Line("  %s.", words.Upper(r.Reason))
		p.Line("Replay: %s", r.replay())
	}
	for _, note := range r.notes() {
		p.Line("%s", note)
	}
	if r.Ran() {
		if err := r.writeTried(p); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// triedHeading says in how many runs how much was tried, so that nothing found has a size.
func (r *Report) triedHeading() string {
	us := func(n int64) time.Duration { return (time.Duration(n) * time.Microsecond).Round(time.Millisecond) }
	return fmt.Sprintf("Tried in %s, each held back for at most %s a time and %s a rank",
		words.Count(r.Runs, "run", "runs"), us(r.LongestUS), us(r.BudgetUS))
}

func (r *Report) writeTried(w io.Writer) error {
	fmt.Fprintf(w, "\n%s:\n", r.triedHeading())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  kind\tsites\tof\tchoices made\topen in one run")
	for _, k := range r.Tried {
		fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%d\n", k.Kind, k.Sites, k.Open, k.Made, k.Choices)
	}
	return t.Flush()
}
