package compare

import (
	"math"

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

// What ranks do in a share of the time.
const (
	Computing = "computing"
	Waiting   = "waiting"
)

// Comparison is what a bad run did otherwise than good ones.
type Comparison struct {
	Differences []Difference `json:"differences"`  // the likeliest cause first
	Classes     []Class      `json:"classes"`      // ranks of the bad run by their differences, fewest ranks first
	Shares      []Share      `json:"shares"`       // what took another share of the time, the largest change first
	Compared    Compared     `json:"compared"`     // how much was compared
	Notes       []string     `json:"notes"`        // what was not compared, and where the bad run was cut off
	Problems    []string     `json:"problems"`     // what was missing or damaged in the data of any run
	CutOff      bool         `json:"cut_off"`      // a rank of the bad run did not come to MPI_Finalize
	GoodCut     bool         `json:"good_cut_off"` // a rank of a good run did not come to MPI_Finalize
}

// Compared says how much was compared.
type Compared struct {
	GoodRanks int  `json:"good_ranks"` // ranks of all good runs
	BadRanks  int  `json:"bad_ranks"`  // ranks of the bad run
	Places    int  `json:"places"`     // call sites of MPI, of all runs together
	BadPlaces int  `json:"bad_places"` // call sites of the bad run
	BadKnown  int  `json:"bad_known"`  // of these, in a good run, too
	Passages  int  `json:"passages"`   // passages from one of them to the next
	Messages  bool `json:"messages"`   // messages and collectives were compared rank by rank
}

// Class is ranks of the bad run that have the same differences.
type Class struct {
	Ranks       string `json:"ranks"`       // ranks of the bad run
	Differences []int  `json:"differences"` // their places in differences, from 0
	First       int    `json:"first"`       // the one of them that comes first in the course of the program
}

// Share is how much of the time of all ranks went to one place. A bad run that stood still has that time in it, too.
type Share struct {
	At    Place   `json:"at"`    // the call
	Doing string  `json:"doing"` // waiting: in the call or between empty polls; computing: behind it
	Bad   float64 `json:"bad"`   // share of the samples of the bad run, 0 to 1
	Good  float64 `json:"good"`  // the same, the mean of the good runs
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
		Differences: []Difference{}, Classes: []Class{}, Shares: []Share{}, Compared: Compared(c.Compared),
		Notes: words.AllPrintable(c.Notes), Problems: words.AllPrintable(c.Problems), CutOff: c.BadCutOff,
		GoodCut: c.GoodCutOff,
	}
	for _, f := range c.Findings {
		d.Differences = append(d.Differences, newDifference(f))
	}
	for _, k := range c.Classes {
		d.Classes = append(d.Classes, Class{k.Ranks.String(), k.Findings, k.First})
	}
	for _, s := range c.Shares {
		doing := Computing
		if s.Waiting {
			doing = Waiting
		}
		d.Shares = append(d.Shares, Share{newPlace(s.At), doing, roundShare(s.Bad), roundShare(s.Good)})
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

// roundShare leaves thousandths: samples tell no more.
func roundShare(x float64) float64 { return math.Round(1000*x) / 1000 }

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
