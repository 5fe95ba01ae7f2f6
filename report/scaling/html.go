package scaling

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/report/chart"
	"laggard/report/page"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var staticPage = page.NewStatic("scaling", body, chart.Style+style, nil)

// HTML writes the result as one page that needs nothing but a browser: the
// answer, the volume by call site in training and in this run (the paper's
// Figures 4 and 8), the correlation by rank with the threshold (Figure 5), and
// the places to look at with their stacks. It runs no script.
func HTML(w io.Writer, r *Result) error {
	v := newView(r)
	return staticPage.Write(w, v.Headline+" – "+v.Run, v)
}

// view is what the template shows.
type view struct {
	Headline        string
	Run, Command    string
	Look            string
	Facts           []fact
	Charts          []figure
	Places          []placeView
	Left            int // places that are not shown
	Notes, Problems []string
}

type fact struct{ Name, Text string }

// placeView is a place to look at.
type placeView struct {
	Order              int
	What, Divergence   string
	Training, This     []frameView
	NoTraining, NoThis bool
	Same               bool
}

type frameView struct {
	Text    string
	Here    bool // the stacks part
	Library bool
}

func newView(r *Result) view {
	places := readablePlaces(r.Localisation)
	v := view{
		Headline: Headline(r), Run: words.Printable(r.Run.Dir),
		Command: words.Printable(strings.Join(r.Run.Command, " ")),
		Facts:   newFacts(r), Left: max(0, len(places)-maxShownPlaces),
		Notes: words.AllPrintable(r.Notes), Problems: words.AllPrintable(r.Problems),
	}
	if len(r.Localisation) > 0 && r.Localisation[0].Divergence != nil {
		v.Look = frameText(*r.Localisation[0].Divergence)
	}
	for _, speaks := range []bool{true, false} {
		for i := range r.seen {
			if speaks == (r.seen[i].Source == r.Source) {
				v.Charts = append(v.Charts, sourceCharts(r, i)...)
			}
		}
	}
	for i := range places[:min(len(places), maxShownPlaces)] {
		v.Places = append(v.Places, placeOf(&places[i], r.Crash != nil))
	}
	return v
}

// maxShownPlaces bounds the places on the page.
const maxShownPlaces = 20

func newFacts(r *Result) []fact {
	var out []fact
	for i := range r.Sources {
		out = append(out, fact{sourceNames[r.Sources[i].Source], sourceLine(&r.Sources[i])})
	}
	if r.Crash != nil {
		out = append(out, fact{"crash", fmt.Sprintf("rank %d: %s", r.Crash.Rank, words.Printable(r.Crash.What))})
	}
	for _, text := range Advice(r) {
		out = append(out, fact{"to judge it", text})
	}
	return out
}

func placeOf(p *judge.SourcePlace, crash bool) placeView {
	v := placeView{
		Order: p.Order, What: Difference(&p.Place, p.Source, crash),
		Training: framesOf(p.Training, p.Divergence), This: framesOf(p.Production, p.Divergence),
		NoTraining: p.Training == nil, NoThis: p.Production == nil,
		Same: isSameSite(&p.Place),
	}
	if p.Divergence != nil && !v.Same {
		v.Divergence = frameText(*p.Divergence)
	}
	return v
}

func framesOf(s *recorded.Site, divergence *recorded.Frame) []frameView {
	var out []frameView
	for _, f := range programFrames(s) {
		out = append(out, frameView{frameText(f), divergence != nil && f == *divergence, recorded.InLibrary(f)})
	}
	return out
}
