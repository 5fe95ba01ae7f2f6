package compare

import (
	"laggard/analysis/compare"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// Result is the differences between two runs. Its JSON form is a contract with scripts.
type Result struct {
	SchemaVersion int          `json:"schema_version"` // version of this JSON form
	Good          []report.Run `json:"good"`           // the good runs
	Bad           report.Run   `json:"bad"`            // the run that was compared with them
	Comparison
}

// Comparison is what a bad run did otherwise than good ones.
type Comparison struct {
	Differences []Difference `json:"differences"` // the likeliest cause first
	Compared    Compared     `json:"compared"`    // how much was compared
	Notes       []string     `json:"notes"`       // what was not compared, and where the bad run was cut off
	Problems    []string     `json:"problems"`    // what was missing or damaged in the data of any run
}

// Compared says how much was compared.
type Compared struct {
	GoodRanks int  `json:"good_ranks"` // ranks of all good runs
	BadRanks  int  `json:"bad_ranks"`  // ranks of the bad run
	Places    int  `json:"places"`     // call sites of MPI, of all runs together
	Passages  int  `json:"passages"`   // passages from one of them to the next
	Messages  bool `json:"messages"`   // messages and collectives were compared rank by rank
}

// Difference is one thing that the bad run did otherwise.
type Difference struct {
	Kind  string  `json:"kind"`            // one of the kinds in docs/manual/compare.md#what-is-compared
	Ranks string  `json:"ranks"`           // ranks of the bad run
	Text  string  `json:"text"`            // one sentence
	At    Place   `json:"at"`              // the call that it is about; without a call: not known
	More  []Place `json:"more,omitempty"`  // further calls that differ likewise
	After *Place  `json:"after,omitempty"` // the call before it, in the bad run
	Next  *Place  `json:"next,omitempty"`  // the call that came instead of it, or should have come
	// what differs, counted in the bad run and in the rank of a good run that is most like: calls, passages, iterations,
	// messages or bytes
	BadCount  float64 `json:"bad_count"`
	GoodCount float64 `json:"good_count"`           // the same in that rank of a good run
	BadValue  string  `json:"bad_value,omitempty"`  // the value that differs, such as a tag, in the bad run
	GoodValue string  `json:"good_value,omitempty"` // the values in good runs
}

// Place is a call site in both builds of the program.
type Place struct {
	Call string       `json:"call"` // MPI function
	Good *report.Site `json:"good"` // where the good runs call it; null: none did
	Bad  *report.Site `json:"bad"`  // where the bad run calls it; null: it did not
}

// New makes what the user gets of a comparison.
func New(c *compare.Result) *Result {
	r := &Result{SchemaVersion: report.SchemaVersion, Good: []report.Run{}, Bad: report.NewRun(c.Bad), Comparison: NewComparison(c)}
	for _, x := range c.Good {
		r.Good = append(r.Good, report.NewRun(x))
	}
	return r
}

// NewComparison is New without the runs.
func NewComparison(c *compare.Result) Comparison {
	d := Comparison{
		Differences: []Difference{}, Compared: Compared(c.Compared),
		Notes: words.AllPrintable(c.Notes), Problems: words.AllPrintable(c.Problems),
	}
	for _, f := range c.Findings {
		d.Differences = append(d.Differences, newDifference(f))
	}
	return d
}

func newDifference(f compare.Finding) Difference {
	d := Difference{
		Kind: string(f.Kind), Ranks: f.Ranks.String(), At: newPlace(f.At), After: newPlaceIf(f.After), Next: newPlaceIf(f.Next),
		BadCount: f.Bad, GoodCount: f.Good, BadValue: words.Printable(f.BadIs), GoodValue: words.Printable(f.GoodIs),
	}
	for _, p := range f.More {
		d.More = append(d.More, newPlace(p))
	}
	d.Text = sentenceOf(d, f.StillIn)
	return d
}

func newPlaceIf(p *compare.Place) *Place {
	if p == nil {
		return nil
	}
	out := newPlace(*p)
	return &out
}

func newPlace(p compare.Place) Place {
	return Place{Call: words.Printable(p.Call), Good: newSite(p.Good), Bad: newSite(p.Bad)}
}

func newSite(stack []symbol.Location) *report.Site {
	if stack == nil {
		return nil
	}
	s := report.NewSite(stack)
	return &s
}
