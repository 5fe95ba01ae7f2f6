package volume

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"laggard/analysis/scaling"
	"laggard/report"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// HTML writes the result as one page that needs nothing but a browser: the
// answer, the volume by call site in training and in this run (the paper's
// Figures 4 and 8), the correlation by rank with the threshold (Figure 5), and
// the places to look at with their stacks. It runs no script.
func HTML(w io.Writer, r *Result) error {
	page, err := Page(r)
	if err != nil {
		return err
	}
	_, err = w.Write(page)
	return err
}

// page is what the template shows.
type page struct {
	Style, Policy, Title template.HTML // made here, or escaped
	Headline             string
	Run, Command         string
	Look                 string
	Facts                []fact
	Charts               []chart
	Places               []placeView
	Left                 int // places that are not shown
	Notes, Problems      []string
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

// Page is the page of HTML. The error is that of the template.
func Page(r *Result) ([]byte, error) {
	style, err := report.Style()
	if err != nil {
		return nil, fmt.Errorf("volume: page: %w", err)
	}
	style += pageStyle
	p := page{
		Style: template.HTML("<style>" + style + "</style>"), Policy: template.HTML(report.Policy(style)),
		Headline: Headline(r), Run: report.Printable(r.Run.Dir), Command: report.Printable(strings.Join(r.Run.Command, " ")),
		Facts: facts(r), Left: max(0, len(r.Localisation)-maxShownPlaces),
	}
	p.Title = template.HTML(template.HTMLEscapeString(p.Headline + " – " + p.Run))
	if len(r.Localisation) > 0 && r.Localisation[0].Divergence != nil {
		p.Look = where(*r.Localisation[0].Divergence)
	}
	for _, speaks := range []bool{true, false} {
		for i := range r.seen {
			if speaks == (r.seen[i].Source == r.Source) {
				p.Charts = append(p.Charts, charts(r, i)...)
			}
		}
	}
	for i := range r.Localisation[:min(len(r.Localisation), maxShownPlaces)] {
		p.Places = append(p.Places, placeOf(&r.Localisation[i], r.Crash != nil))
	}
	for _, n := range r.Notes {
		p.Notes = append(p.Notes, report.Printable(n))
	}
	for _, n := range r.Problems {
		p.Problems = append(p.Problems, report.Printable(n))
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("volume: page: %w", err)
	}
	return b.Bytes(), nil
}

// maxShownPlaces bounds the places on the page.
const maxShownPlaces = 20

func facts(r *Result) []fact {
	var out []fact
	for i := range r.Sources {
		out = append(out, fact{sourceNames[r.Sources[i].Source], sourceLine(&r.Sources[i])})
	}
	if r.Crash != nil {
		out = append(out, fact{"crash", fmt.Sprintf("rank %d: %s", r.Crash.Rank, report.Printable(r.Crash.What))})
	}
	return out
}

func placeOf(p *scaling.SourcePlace, crash bool) placeView {
	v := placeView{
		Order: p.Order, What: Difference(&p.Place, p.Source, crash),
		Training: framesOf(p.Training, p.Divergence), This: framesOf(p.Production, p.Divergence),
		NoTraining: p.Training == nil, NoThis: p.Production == nil,
		Same: p.Training != nil && p.Production != nil && p.Training.Key() == p.Production.Key(),
	}
	if p.Divergence != nil {
		v.Divergence = where(*p.Divergence)
	}
	return v
}

func framesOf(s *scaling.Site, divergence *scaling.Frame) []frameView {
	var out []frameView
	for _, f := range shown(s) {
		out = append(out, frameView{where(f), divergence != nil && f == *divergence, scaling.InLibrary(f)})
	}
	return out
}
