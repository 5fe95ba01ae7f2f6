package injector

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// DivergenceRow counts over some trials in which ranks left the common sequence of
// collectives.
type DivergenceRow struct {
	Trials string `json:"trials"` // kind of fault, or a class of outcomes
	Count  int    `json:"count"`  // number of trials
	Ranks  int    `json:"ranks"`  // the ranks are named and no others
	// the ranks are named with others, with a confidence of at most 0.5
	Among      int      `json:"among"`
	Kind       int      `json:"kind"`       // the kind is right
	Call       int      `json:"call"`       // the first call that differs is named
	Bracket    int      `json:"bracket"`    // that call was no longer kept, and is in the range that is named
	Lines      int      `json:"lines"`      // the deciding line is known
	Branch     int      `json:"branch"`     // it is named as the nearest
	Nested     int      `json:"nested"`     // it is named, further out
	Silent     int      `json:"silent"`     // neither a divergence nor the right kind is named
	Wrong      int      `json:"wrong"`      // the ranks are wrong, with a confidence above 0.5
	Misleading int      `json:"misleading"` // ranks, call or kind are wrong, with a confidence above 0.5
	IDs        []string `json:"ids"`        // trials in which something is not right
}

// Rows that are no kind of fault. The last three are not counted in AllParted.
const (
	AllDivergences = "all"
	NoneDiffer     = "no call differs" // the rank waits for something else
	JobEnded       = "the job ended"   // by MPI or the launcher, which saw the fault
	Unclear        = "others changed"  // which collectives the others make depends on the fault
)

// divergenceRow is the row that a record belongs to.
func (r *Record) divergenceRow() string {
	switch {
	case r.Outcome.Ended:
		return JobEnded
	case r.Outcome.Truth == nil || !r.Outcome.Truth.Clear:
		return Unclear
	case !r.Outcome.Truth.Visible:
		return NoneDiffer
	}
	return string(r.Trial.Fault.Kind)
}

// divergenceRows sums up records of faults by which ranks part.
func divergenceRows(records []Record) []DivergenceRow {
	rows := map[string]*DivergenceRow{}
	add := func(name string, r *Record, v DivergenceVerdict) {
		if rows[name] == nil {
			rows[name] = &DivergenceRow{Trials: name, IDs: []string{}}
		}
		rows[name].add(r, v)
	}
	for i := range records {
		r := &records[i]
		if r.Outcome == nil || r.Outcome.Truth == nil {
			continue
		}
		v := JudgeDivergence(r.Trial.Strike, r.Outcome.Truth, diagnosisBy(*r, "laggard"))
		name := r.divergenceRow()
		add(name, r, v)
		if name == string(r.Trial.Fault.Kind) {
			add(AllDivergences, r, v)
		}
	}
	order := []string{}
	for _, kind := range divergenceKinds {
		order = append(order, string(kind))
	}
	var out []DivergenceRow
	for _, name := range append(order, AllDivergences, NoneDiffer, JobEnded, Unclear) {
		if rows[name] != nil {
			out = append(out, *rows[name])
		}
	}
	return out
}

func (p *DivergenceRow) add(r *Record, v DivergenceVerdict) {
	for _, one := range []struct {
		into *int
		is   bool
	}{{&p.Count, true}, {&p.Ranks, v.Ranks}, {&p.Among, v.Among}, {&p.Kind, v.Kind}, {&p.Call, v.Call},
		{&p.Bracket, v.Bracket}, {&p.Lines, v.HasBranch}, {&p.Branch, v.Branch}, {&p.Nested, v.Nested},
		{&p.Silent, v.Silent}, {&p.Wrong, v.Wrong}, {&p.Misleading, v.Misleading}} {
		if one.is {
			*one.into++
		}
	}
	if !v.isRight() {
		p.IDs = append(p.IDs, r.Trial.ID)
	}
}

// isRight: there is nothing to mend.
func (v DivergenceVerdict) isRight() bool {
	return v.Ranks && v.Kind && v.Call && (!v.HasBranch || v.Branch || v.Nested)
}

// String says in a few words what is right.
func (v DivergenceVerdict) String() string {
	var out []string
	for _, one := range []struct {
		is   bool
		text string
	}{{v.Ranks, "ranks"}, {v.Among, "among"}, {v.Kind, "kind"}, {v.Call, "call"}, {v.Bracket, "bracket"},
		{v.Branch, "branch"}, {v.Nested, "branch nested"},
		{v.HasBranch && !v.Branch && !v.Nested, "BRANCH MISSED"}, {v.Silent, "SILENT"},
		{v.Wrong, "WRONG"}, {v.Misleading && !v.Wrong, "MISLEADING"}} {
		if one.is {
			out = append(out, one.text)
		}
	}
	if len(out) == 0 {
		return "nothing right"
	}
	return strings.Join(out, ", ")
}

// writeDivergenceRows prints the rows.
func writeDivergenceRows(w io.Writer, rows []DivergenceRow) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "fault\ttrials\tranks\tboth sides\tkind\tcall\tbracketed\t"+
		"branch\tnested\tsilent\twrong\tmisleading\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t", r.Trials)
		for _, n := range []int{r.Count, r.Ranks, r.Among, r.Kind, r.Call, r.Bracket} {
			fmt.Fprintf(t, "%d\t", n)
		}
		fmt.Fprintf(t, "%d of %d\t%d\t%d\t%d\t%d\t\n", r.Branch, r.Lines, r.Nested, r.Silent, r.Wrong, r.Misleading)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if len(r.IDs) > 0 && r.Trials != AllDivergences {
			if _, err := fmt.Fprintf(w, "not all right, %s: %s\n", r.Trials, strings.Join(slices.Sorted(
				slices.Values(r.IDs)), " ")); err != nil {
				return err
			}
		}
	}
	return nil
}
