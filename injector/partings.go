package injector

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// PartingRow counts over some trials in which ranks left the common sequence of
// collectives; see PartingVerdict.
type PartingRow struct {
	Trials     string `json:"trials"` // a kind of fault, or one of the names below
	Count      int    `json:"count"`
	Ranks      int    `json:"ranks"`
	Among      int    `json:"among"`
	Kind       int    `json:"kind"`
	Call       int    `json:"call"`
	Bracket    int    `json:"bracket"`
	Lines      int    `json:"lines"`  // in which the deciding line is known
	Branch     int    `json:"branch"` // the nearest that decides
	Nested     int    `json:"nested"` // one further back, of those that are named
	Silent     int    `json:"silent"`
	Wrong      int    `json:"wrong"`
	Misleading int    `json:"misleading"`
	// IDs are those of the trials in which something is not right.
	IDs []string `json:"ids"`
}

// Rows that are no kind of fault. The last three are not counted in AllParted.
const (
	AllParted  = "all"
	NoneDiffer = "no call differs" // the rank waits for something else
	JobEnded   = "the job ended"   // by MPI or the launcher, which saw the fault
	Unclear    = "others changed"  // which collectives the others make depends on the fault
)

// partingRow is the row that a record belongs to.
func (r *Record) partingRow() string {
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

// partingRows sums up records of faults by which ranks part.
func partingRows(records []Record) []PartingRow {
	rows := map[string]*PartingRow{}
	add := func(name string, r *Record, v PartingVerdict) {
		if rows[name] == nil {
			rows[name] = &PartingRow{Trials: name, IDs: []string{}}
		}
		rows[name].add(r, v)
	}
	for i := range records {
		r := &records[i]
		if r.Outcome == nil || r.Outcome.Truth == nil {
			continue
		}
		v := JudgeParting(r.Trial.Strike, r.Outcome.Truth, diagnosisBy(*r, "laggard"))
		name := r.partingRow()
		add(name, r, v)
		if name == string(r.Trial.Fault.Kind) {
			add(AllParted, r, v)
		}
	}
	order := []string{}
	for _, kind := range parting {
		order = append(order, string(kind))
	}
	var out []PartingRow
	for _, name := range append(order, AllParted, NoneDiffer, JobEnded, Unclear) {
		if rows[name] != nil {
			out = append(out, *rows[name])
		}
	}
	return out
}

func (p *PartingRow) add(r *Record, v PartingVerdict) {
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
	if !v.right() {
		p.IDs = append(p.IDs, r.Trial.ID)
	}
}

// right: there is nothing to mend.
func (v PartingVerdict) right() bool {
	return v.Ranks && v.Kind && v.Call && (!v.HasBranch || v.Branch || v.Nested)
}

// String says in a few words what is right.
func (v PartingVerdict) String() string {
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

// partingText prints the rows.
func partingText(w io.Writer, rows []PartingRow) error {
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
		if len(r.IDs) > 0 && r.Trials != AllParted {
			if _, err := fmt.Fprintf(w, "not all right, %s: %s\n", r.Trials, strings.Join(slices.Sorted(
				slices.Values(r.IDs)), " ")); err != nil {
				return err
			}
		}
	}
	return nil
}
