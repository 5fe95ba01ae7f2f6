package injector

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
)

// Alert is a slowdown that the user was told of while the job ran.
type Alert struct {
	Seconds float64 `json:"seconds"` // after the rank became slower, negative before; of a run without a fault, after the start
	Cause   string  `json:"cause"`   // rank, node, machine, link or io
	Ranks   []int   `json:"ranks"`   // the ranks that are named
	Line    string  `json:"line"`    // what the user is told
}

// SlowdownVerdict is what a user was told, compared with the truth.
type SlowdownVerdict struct {
	Told        bool    // a slowdown was told after it began
	Rank        bool    // the rank is named and no other; or, where no rank can be known, none is
	Cause       bool    // the cause is right
	Seconds     float64 // from when the rank became slower until the user was told
	FalseAlarms int     // slowdowns that were told before
}

// JudgeSlowdown compares the first alert after a rank became slower with the truth.
func JudgeSlowdown(s Strike, alerts []Alert) (v SlowdownVerdict) {
	cause, namesRank := s.Fault.cause()
	for _, a := range alerts {
		switch {
		case a.Seconds < 0:
			v.FalseAlarms++
		case !v.Told:
			want := []int{}
			if namesRank {
				want = append(want, s.Rank)
			}
			v.Told, v.Seconds = true, a.Seconds
			v.Rank, v.Cause = slices.Equal(a.Ranks, want), a.Cause == cause
		}
	}
	return v
}

// String is the verdict in some words.
func (v SlowdownVerdict) String() string {
	text := "NOT TOLD"
	if v.Told {
		text = fmt.Sprintf("told after %.0f s", v.Seconds)
		if !v.Rank {
			text += ", WRONG RANK"
		}
		if !v.Cause {
			text += ", WRONG CAUSE"
		}
	}
	if v.FalseAlarms > 0 {
		text += fmt.Sprintf("; %d FALSE ALARMS before", v.FalseAlarms)
	}
	return text
}

// alertLines are what the user was told, a line for each.
func (o *Outcome) alertLines() string {
	var b strings.Builder
	for _, a := range o.Alerts {
		fmt.Fprintf(&b, "\n          %+.0f s: %s", a.Seconds, a.Line)
	}
	return b.String()
}

// SlowdownRow counts over some trials in which a rank became slower.
type SlowdownRow struct {
	Fault       Fault    `json:"fault"`        // the fault
	Trials      int      `json:"trials"`       // trials in which the rank became slower
	Told        int      `json:"told"`         // the user was told
	Rank        int      `json:"rank"`         // the right rank is named and no other; of late messages, none
	Cause       int      `json:"cause"`        // the cause is right
	Seconds     float64  `json:"seconds"`      // median time until the user was told; 0: never
	FalseAlarms int      `json:"false_alarms"` // slowdowns told before
	IDs         []string `json:"ids"`          // trials in which something is not right
}

// slowdownRows sums up records of faults by which a rank gets slower, a row for each fault.
func slowdownRows(records []Record) []SlowdownRow {
	var rows []SlowdownRow
	seconds := map[Fault][]float64{}
	for _, r := range records {
		f := r.Trial.Fault
		if !f.CausesSlowdown() {
			continue
		}
		at := slices.IndexFunc(rows, func(row SlowdownRow) bool { return row.Fault == f })
		if at < 0 {
			at, rows = len(rows), append(rows, SlowdownRow{Fault: f, IDs: []string{}})
		}
		v := JudgeSlowdown(r.Trial.Strike, r.Outcome.Alerts)
		row := &rows[at]
		row.Trials++
		row.FalseAlarms += v.FalseAlarms
		if v.Told {
			row.Told++
			seconds[f] = append(seconds[f], v.Seconds)
		}
		if v.Rank {
			row.Rank++
		}
		if v.Cause {
			row.Cause++
		}
		if !v.Rank || !v.Cause || v.FalseAlarms > 0 {
			row.IDs = append(row.IDs, r.Trial.ID)
		}
	}
	for i := range rows {
		if s := slices.Sorted(slices.Values(seconds[rows[i].Fault])); len(s) > 0 {
			rows[i].Seconds = stat.Quantile(0.5, stat.LinInterp, s, nil)
		}
	}
	return rows
}

// writeSlowdowns prints the table of a campaign in which a rank became slower.
func (s Score) writeSlowdowns(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "fault\ttrials\ttold\trank\tcause\tseconds\tfalse alarms\t")
	for _, r := range s.Slowdowns {
		seconds := "-"
		if r.Told > 0 {
			seconds = fmt.Sprintf("%.0f", r.Seconds)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%d\t\n", r.Fault, r.Trials, r.Told, r.Rank, r.Cause, seconds, r.FalseAlarms)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "slower %d; not reached %d; failed %d\n", s.Injected, s.NotReached, s.Failed)
	for _, r := range s.Slowdowns {
		if err == nil && len(r.IDs) > 0 {
			_, err = fmt.Fprintf(w, "not right of %s: %v\n", r.Fault, r.IDs)
		}
	}
	return err
}
