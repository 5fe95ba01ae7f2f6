package injector

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// String is a trial in a line: what was done to whom, and what was found.
func (r Record) String() string {
	t := r.Trial
	if t.Fault.Kind == None {
		return r.healthyString()
	}
	text := fmt.Sprintf("%s %s rank %d at entry %d of %s", t.ID, t.Fault, t.Rank, t.Invocation, t.Target)
	switch {
	case t.Fault.CausesDivergence():
		text = fmt.Sprintf("%s %s ranks %v at collective %d, %s", t.ID, t.Fault, t.Ranks(), t.Invocation, t.Target)
	case t.Fault.CausesSlowdown():
		text = fmt.Sprintf("%s %s rank %d after %s", t.ID, t.Fault, t.Rank, time.Duration(t.After))
	}
	if r.Outcome == nil {
		return text + ": failed: " + r.Error
	}
	if s := r.Outcome.Report.State; s != Injected {
		return text + ": " + string(s)
	}
	if r.Outcome.Over {
		return text + ": all ranks had finished before they were examined"
	}
	switch {
	case t.Fault.CausesDivergence():
		return text + r.divergenceString()
	case t.Fault.CausesSlowdown():
		return text + ": " + JudgeSlowdown(t.Strike, r.Outcome.Alerts).String() + r.Outcome.alertLines()
	}
	for _, d := range r.Outcome.Diagnoses {
		text += fmt.Sprintf("; %s %s", d.Algorithm, Judge(t.Strike, d))
	}
	return text
}

// divergenceString says what came of ranks that were to part.
func (r Record) divergenceString() string {
	o := r.Outcome
	switch {
	case !o.Hang:
		return ": absorbed"
	case o.Truth == nil || len(o.Diagnoses) == 0:
		return ": not diagnosed"
	}
	text := fmt.Sprintf(" (%.2f): %s", o.Diagnoses[0].Confidence, JudgeDivergence(r.Trial.Strike, o.Truth, o.Diagnoses[0]))
	if row := r.divergenceRow(); row != string(r.Trial.Fault.Kind) {
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
	case len(r.Outcome.Alerts) > 0:
		return text + ": FALSE ALARM" + r.Outcome.alertLines()
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

// recordsOfSeeds picks the records of some seeds.
func recordsOfSeeds(records []Record, seeds []uint64) []Record {
	var out []Record
	for _, r := range records {
		if r.Trial.Fault.Kind != None && slices.Contains(seeds, r.Trial.Seed) {
			out = append(out, r)
		}
	}
	return out
}

// WriteText writes the paper's table of the seeds that were tuned on and of those to
// report on, and what became of the healthy runs.
func (c *Campaign) WriteText(w io.Writer, records []Record) error {
	for _, part := range []struct {
		what  string
		seeds []uint64
	}{{"tuned on", c.Trials.Tune}, {"reported", c.Trials.Report}} {
		some := recordsOfSeeds(records, part.seeds)
		if len(some) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s, %s, %d ranks, seeds %v (%s)\n", c.Program.Name, c.Launch.Family, c.Launch.Ranks,
			part.seeds, part.what)
		if err := NewScore(some).WriteText(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if h := NewHealth(records); h.Runs > 0 {
		fmt.Fprintln(w, h)
	}
	return nil
}

// WriteCombinedText writes the tables of several campaigns in which ranks part, on their seeds to
// report on: a row for each, then one for each kind of fault. records are by campaign.
func WriteCombinedText(w io.Writer, campaigns []*Campaign, records [][]Record) error {
	var each []DivergenceRow
	var all []Record
	for i, c := range campaigns {
		name := fmt.Sprintf("%s, %s, %d", c.Program.Name, c.Launch.Family, c.Launch.Ranks)
		some := recordsOfSeeds(records[i], c.Trials.Report)
		for _, row := range divergenceRows(latestRecords(some)) {
			if row.Trials == AllDivergences {
				row.Trials = name
				each = append(each, row)
			}
		}
		for _, r := range some {
			r.Trial.ID = fmt.Sprintf("%s/%s", name, r.Trial.ID)
			all = append(all, r)
		}
	}
	if err := writeDivergenceRows(w, each); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return NewScore(all).WriteText(w)
}

// Document is a campaign, its trials, and their score.
type Document struct {
	Campaign      *Campaign `json:"campaign"`       // the campaign file, with defaults filled in
	SchemaVersion int       `json:"schema_version"` // version of this JSON form
	Totals        Totals    `json:"totals"`         // the scores
	Trials        []Record  `json:"trials"`         // every trial that was run; of several of one ID, the last counts
}

// Totals are the scores of a campaign.
type Totals struct {
	Health Health `json:"health"` // of the runs without a fault
	Report Score  `json:"report"` // of the seeds in trials.report
	Tune   Score  `json:"tune"`   // of the seeds in trials.tune
}

// WriteJSON writes the same, with the campaign and every record.
func (c *Campaign) WriteJSON(w io.Writer, records []Record) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(Document{Campaign: c, SchemaVersion: 1, Trials: records, Totals: Totals{
		Health: NewHealth(records),
		Report: NewScore(recordsOfSeeds(records, c.Trials.Report)),
		Tune:   NewScore(recordsOfSeeds(records, c.Trials.Tune)),
	}})
}
