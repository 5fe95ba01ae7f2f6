package injector

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// String is a trial in a line: what was done to whom, and what was found.
func (r Record) String() string {
	t := r.Trial
	if t.Fault.Kind == None {
		return r.healthyString()
	}
	text := fmt.Sprintf("%s %s rank %d at entry %d of %s", t.ID, t.Fault, t.Rank, t.Invocation, t.Target)
	if t.Fault.Parts() {
		text = fmt.Sprintf("%s %s ranks %v at collective %d, %s", t.ID, t.Fault, t.Ranks(), t.Invocation, t.Target)
	}
	if r.Outcome == nil {
		return text + ": failed: " + r.Error
	}
	if s := r.Outcome.Report.State; s != Injected {
		return text + ": " + string(s)
	}
	if r.Outcome.Over {
		return text + ": all ranks were through before it was looked at"
	}
	if t.Fault.Parts() {
		return text + r.partingString()
	}
	for _, d := range r.Outcome.Diagnoses {
		text += fmt.Sprintf("; %s %s", d.Algorithm, Judge(t.Strike, d))
	}
	return text
}

// partingString says what came of ranks that were to part.
func (r Record) partingString() string {
	o := r.Outcome
	switch {
	case !o.Hang:
		return ": absorbed"
	case o.Truth == nil || len(o.Diagnoses) == 0:
		return ": not diagnosed"
	}
	text := fmt.Sprintf(" (%.2f): %s", o.Diagnoses[0].Confidence, JudgeParting(r.Trial.Strike, o.Truth, o.Diagnoses[0]))
	if row := r.partingRow(); row != string(r.Trial.Fault.Kind) {
		text = "; " + row + text
	}
	return text
}

func (r Record) healthyString() string {
	text := r.Trial.ID + " no fault"
	if r.Trial.Loaded {
		text += ", loaded machine"
	}
	switch {
	case r.Outcome == nil:
		return text + ": failed: " + r.Error
	case r.Outcome.Hang:
		return text + ": FALSE ALARM"
	}
	return text + ": ended well"
}

// String is the verdict in a word.
func (v Verdict) String() string {
	switch {
	case v.Exact:
		return "exact"
	case v.Recall:
		return "recalled"
	case v.Isolated:
		return "isolated"
	}
	return "MISSED"
}

// bySeeds picks the records of some seeds.
func bySeeds(records []Record, seeds []uint64) []Record {
	var out []Record
	for _, r := range records {
		if r.Trial.Fault.Kind != None && slices.Contains(seeds, r.Trial.Seed) {
			out = append(out, r)
		}
	}
	return out
}

// Text writes the paper's table of the seeds that were tuned on and of those to
// report on, and what became of the healthy runs.
func (c *Campaign) Text(w io.Writer, records []Record) error {
	for _, part := range []struct {
		what  string
		seeds []uint64
	}{{"tuned on", c.Trials.Tune}, {"reported", c.Trials.Report}} {
		some := bySeeds(records, part.seeds)
		if len(some) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s, %s, %d ranks, seeds %v (%s)\n", c.Program.Name, c.Launch.Family, c.Launch.Ranks,
			part.seeds, part.what)
		if err := NewScore(some).Text(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if h := NewHealth(records); h.Runs > 0 {
		fmt.Fprintln(w, h)
	}
	return nil
}

// SumText writes the tables of several campaigns in which ranks part, on their seeds to
// report on: a row for each, then one for each kind of fault. records are by campaign.
func SumText(w io.Writer, campaigns []*Campaign, records [][]Record) error {
	var each []PartingRow
	var all []Record
	for i, c := range campaigns {
		name := fmt.Sprintf("%s, %s, %d", c.Program.Name, c.Launch.Family, c.Launch.Ranks)
		some := bySeeds(records[i], c.Trials.Report)
		for _, row := range partingRows(latest(some)) {
			if row.Trials == AllParted {
				row.Trials = name
				each = append(each, row)
			}
		}
		for _, r := range some {
			r.Trial.ID = fmt.Sprintf("%s/%s", name, r.Trial.ID)
			all = append(all, r)
		}
	}
	if err := partingText(w, each); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return NewScore(all).Text(w)
}

// JSON writes the same, with the campaign and every record.
func (c *Campaign) JSON(w io.Writer, records []Record) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"schema_version": 1, "campaign": c, "trials": records,
		"totals": map[string]any{
			"tune":   NewScore(bySeeds(records, c.Trials.Tune)),
			"report": NewScore(bySeeds(records, c.Trials.Report)),
			"health": NewHealth(records),
		},
	})
}
