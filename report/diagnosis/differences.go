package diagnosis

import (
	"fmt"
	"time"

	"laggard/analysis/progress/contrast"
	"laggard/report"
	"laggard/report/words"
)

// Difference is a property in which ranks differ that the evidence does not distinguish.
type Difference struct {
	// state, path, calls, peers, communicators or pause, see docs/manual/diagnosis.md#ranks-that-the-evidence-does-not-distinguish
	What string `json:"what"`
	MPI  string `json:"mpi,omitempty"` // the MPI function, for path and calls
	report.Site
	Classes []Class `json:"classes"` // the ranks with each value
}

// Class is the ranks with one value.
type Class struct {
	Value string `json:"value"` // the value, in words
	Ranks string `json:"ranks"` // the ranks that have it
}

func (s Source) differences(r *Result) []Difference {
	if len(s.Differ) == 0 {
		return nil
	}
	out := stateDifferences(r)
	for _, d := range s.Differ {
		one := Difference{What: string(d.What)}
		if d.State != nil {
			one.MPI = words.Printable(d.State.Call)
			one.Site = report.NewSite(s.Resolver.ResolveProgramStack(d.State.Stack, false))
		}
		for _, c := range d.Classes {
			one.Classes = append(one.Classes, Class{classValueText(d.What, c.Value), c.Ranks.String()})
		}
		out = append(out, one)
	}
	return out
}

// stateDifferences is where the ranks stand, if they are in several places.
func stateDifferences(r *Result) []Difference {
	if len(r.Groups) < 2 {
		return nil
	}
	out := Difference{What: "state"}
	for _, g := range r.Groups {
		out.Classes = append(out.Classes, Class{stateText(g.State), g.Ranks})
	}
	return []Difference{out}
}

// classValueText says in words what ranks of a class have in common.
func classValueText(what contrast.What, n int64) string {
	switch what {
	case contrast.Peers:
		return words.Count(int(n), "rank", "ranks")
	case contrast.Comms:
		return words.Count(int(n), "communicator", "communicators")
	case contrast.Pause:
		return time.Unix(n, 0).UTC().Format(time.DateTime) + " UTC"
	}
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// text says what the ranks differ in.
func (d *Difference) text() string {
	switch contrast.What(d.What) {
	case contrast.Path, contrast.Calls:
		if d.Function == "" {
			return "calls of " + d.MPI
		}
		return fmt.Sprintf("calls of %s in %s", d.MPI, d.Site.String())
	case contrast.Peers:
		return "ranks that they exchanged messages with"
	case contrast.Comms:
		return "communicators that they are in"
	case contrast.Pause:
		return "no progress since"
	}
	return "where they stand"
}

// differences shows by what the ranks differ that nothing tells apart.
func (p *printer) differences(r *Result) {
	if len(r.Differences) == 0 {
		return
	}
	p.Line("")
	p.Line("They differ in this:")
	for _, d := range r.Differences {
		p.Line("  %s", d.text())
		for _, c := range d.Classes {
			p.Line("      %s: %s", c.Value, words.Ranks(c.Ranks))
		}
	}
}

// pageDifference is a Difference in words.
type pageDifference struct {
	What    string  `json:"what"`
	Classes []Class `json:"classes"`
}

func pageDifferences(r *Result) []pageDifference {
	var out []pageDifference
	for _, d := range r.Differences {
		out = append(out, pageDifference{d.text(), d.Classes})
	}
	return out
}
