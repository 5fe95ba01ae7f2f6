package compare

import (
	_ "embed"
	"io"
	"math"
	"strings"

	"laggard/analysis/compare"
	"laggard/report"
	"laggard/report/page"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var staticPage = page.NewStatic("compare", body, style, nil)

// MaxClasses bounds the classes of ranks on the page.
const MaxClasses = 20

// HTML writes the result as one page that needs nothing but a browser: the likeliest differences, where each class of ranks
// first parts from the good runs, loops and branches, messages and collectives, and what took another share of the time. It
// runs no script.
func HTML(w io.Writer, r *Result) error {
	v := newView(r)
	return staticPage.Write(w, v.Headline+" – "+r.Bad.Dir, v)
}

// view is what the template shows.
type view struct {
	Headline, Compared string
	Runs               []runView
	First, Rest        []string // sentences: the first ten, and the others
	RestFrom           int      // number of the first of Rest
	Classes            []classView
	ClassesLeft        int // that are not shown
	Loops              []pairView
	Exchanged          []sidesView // messages and collectives
	Shares             []pairView
	StoodStill         bool   // the bad run was cut off
	Doubt              string // why the good runs may be none
	Notes, Problems    []string
}

type runView struct{ Role, Dir, Command string }

// classView is where ranks first part.
type classView struct {
	sidesView
	Text string
	Also []int // numbers of the other differences, from 1
}

// sidesView is one difference, side by side.
type sidesView struct{ Ranks, After, Bad, Good string }

// pairView is a number of both runs. Widths are of 100.
type pairView struct {
	What, Doing         string
	Bad, Good           string
	BadWidth, GoodWidth float64
}

func newView(r *Result) view {
	v := view{
		Headline: r.count(), Compared: r.Compared.String(), Doubt: r.doubt(), Notes: r.Notes, Problems: r.Problems,
		RestFrom: MaxDifferences + 1, ClassesLeft: max(0, len(r.Classes)-MaxClasses), StoodStill: r.CutOff,
	}
	if len(r.Differences) == 0 {
		v.Headline = "No difference found"
	}
	for _, run := range r.Good {
		v.Runs = append(v.Runs, newRunView("GOOD", run))
	}
	v.Runs = append(v.Runs, newRunView("BAD", r.Bad))
	for i, d := range r.Differences {
		if i < MaxDifferences {
			v.First = append(v.First, d.Text)
		} else {
			v.Rest = append(v.Rest, d.Text)
		}
		switch kind := compare.Kind(d.Kind); {
		case kind.IsCount():
			v.Loops = append(v.Loops, newCountPair(d))
		case kind.IsExchange():
			v.Exchanged = append(v.Exchanged, newSides(d))
		}
	}
	for _, c := range r.Classes[:min(len(r.Classes), MaxClasses)] {
		v.Classes = append(v.Classes, newClassView(r, c))
	}
	for _, s := range r.Shares {
		v.Shares = append(v.Shares, newSharePair(s))
	}
	return v
}

func newRunView(role string, r report.Run) runView {
	return runView{role, words.Printable(r.Dir), strings.Join(r.Command, " ")}
}

func newClassView(r *Result, c Class) classView {
	first := r.Differences[c.First]
	v := classView{sidesView: newSides(first), Text: first.Text}
	v.Ranks = words.Ranks(c.Ranks)
	for _, i := range c.Differences {
		if i != c.First {
			v.Also = append(v.Also, i+1)
		}
	}
	return v
}

// newSides puts both runs beside each other.
func newSides(d Difference) sidesView {
	v := sidesView{Ranks: words.Ranks(d.Ranks), Bad: d.At.String(), Good: d.At.goodSide()}
	if d.After != nil {
		v.After = d.After.String()
	}
	switch compare.Kind(d.Kind) {
	case compare.NewPlace, compare.OtherOrder:
		v.Good = "not called"
		if d.Next != nil {
			v.Good = d.Next.goodSide()
		}
	case compare.MissingPlace:
		v.Bad = "never"
	case compare.MissingSend:
		v.Bad, v.Good = "never", withValue(v.Good, "a message "+d.BadValue)
		if d.BadCount > 0 {
			v.Bad, v.Good = withValue(d.At.String(), d.missing()), withValue(v.Good, number(d.GoodCount))
		}
	case compare.SkippedPlace:
		v.Bad = "skipped"
		if d.Next != nil {
			v.Bad = d.Next.String()
		}
	case compare.Iterations, compare.BranchCount:
		v.Bad, v.Good = withValue(v.Bad, times(d.BadCount)), withValue(v.Good, times(d.GoodCount))
	case compare.ReturnedError:
		v.Bad, v.Good = withValue(v.Bad, "returned an error"+inBrackets(d.BadValue)), withValue(v.Good, "no error")
	case compare.NewMessage:
		v.Bad, v.Good = withValue(v.Bad, "a message "+d.BadValue), "never"+inBrackets(d.GoodValue)
	default:
		v.Bad, v.Good = withValue(v.Bad, d.BadValue), withValue(v.Good, d.GoodValue)
	}
	return v
}

func withValue(place, value string) string {
	if place == "" {
		return value
	}
	return place + ": " + value
}

// goodSide is String with the line that the call has in the good runs.
func (p Place) goodSide() string {
	if p.Good != nil {
		p.Bad = nil
	}
	return p.String()
}

func newCountPair(d Difference) pairView {
	v := pairView{
		What: words.Ranks(d.Ranks) + ": " + d.At.String(), Doing: "iterations", Bad: number(d.BadCount), Good: number(d.GoodCount),
	}
	if compare.Kind(d.Kind) == compare.BranchCount {
		v.Doing = "times"
		if d.After != nil {
			v.Doing = "times after " + d.After.String()
		}
	}
	most := math.Max(d.BadCount, d.GoodCount)
	v.BadWidth, v.GoodWidth = width(d.BadCount/most), width(d.GoodCount/most)
	return v
}

func newSharePair(s Share) pairView {
	doing := "waiting in the call"
	if s.Doing == Computing {
		doing = "computing after the call"
	}
	return pairView{
		What: s.At.String(), Doing: doing,
		Bad: words.Percent(s.Bad), Good: words.Percent(s.Good), BadWidth: width(s.Bad), GoodWidth: width(s.Good),
	}
}

// width is a part of 1 in hundredths, with one digit.
func width(part float64) float64 { return math.Round(1000*part) / 10 }
