package provoke

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"laggard/injector/provoke"
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
	if r.Failed != nil {
		out.Condition, out.Reason, out.File = Condition(r.Schedule), Reason(r.Schedule), file
	}
	return out
}

// Text prints the report; the diagnosis of the failed run follows elsewhere.
func (r *Report) Text(w io.Writer) error {
	p := &words.Printer{}
	if r.Failed != nil {
		how := words.Upper(string(r.Failed.Failure))
		if r.With.Runs > 0 {
			how += " in " + r.With.String()
		}
		p.Line("%s when %s; in %s otherwise.", how, r.Condition, r.Without)
		p.Line("  %s.", words.Upper(r.Reason))
		p.Line("Replay: laggard run --perturb %s -- %s", words.ShellCommand(r.File), words.ShellCommand(r.Command...))
	} else {
		p.Line("Nothing failed in %s.", words.Count(r.Runs, "perturbed run", "perturbed runs"))
	}
	for _, o := range r.Unconfirmed {
		p.Line("A run that %s once and not again: %s", o.Failure, o.Dir)
	}
	if r.OutOfTime {
		p.Line("The time was over before all was tried; --time gives more.")
	}
	if r.Voided > 0 {
		p.Line("Not counted: %s in which not every rank was recorded.", words.Count(r.Voided, "run", "runs"))
	}
	if err := r.writeTried(p); err != nil {
		return err
	}
	for _, what := range r.Untried {
		p.Line("Not tried: %s", what)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// writeTried says how much was tried, so that nothing found has a size.
func (r *Report) writeTried(w io.Writer) error {
	us := func(n int64) time.Duration { return (time.Duration(n) * time.Microsecond).Round(time.Millisecond) }
	fmt.Fprintf(w, "\nTried in %s, each held back for at most %s a time and %s a rank:\n",
		words.Count(r.Runs, "run", "runs"), us(r.LongestUS), us(r.BudgetUS))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  kind\tsites\tof\tchoices made\topen in one run")
	for _, k := range r.Tried {
		fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%d\n", k.Kind, k.Sites, k.Open, k.Made, k.Choices)
	}
	return t.Flush()
}
