package usage

import (
	_ "embed"
	"html/template"
	"io"
	"path"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/report/page"
	"laggard/report/source"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var staticPage = page.NewStatic("usage", body, style, template.FuncMap{
	"ranks": words.Ranks, "times": timesText, "place": placeText, "ways": waysText,
	"lines": sourceLines, "base": path.Base, "means": classMeans,
})

// HTML writes the findings as one page that needs nothing else, with the source
// around each call as far as it was found. It has no scripts.
func HTML(w io.Writer, r *Result) error {
	findings := r.mergedFindings()
	title := headline(r, findings)
	return staticPage.Write(w, title+" – "+r.Run.Dir, map[string]any{"Headline": title, "Usage": r, "Findings": findings})
}

// sourceLine is a line of an excerpt on the page.
type sourceLine struct {
	Number int
	Text   string
	Called bool // a call of the finding stands here
}

func sourceLines(f Finding, e source.Excerpt) []sourceLine {
	out := make([]sourceLine, len(e.Text))
	for i, text := range e.Text {
		n := e.First + i
		called := slices.ContainsFunc(f.Locations, func(l Location) bool { return l.File == e.File && l.Line == n })
		out[i] = sourceLine{n, text, called}
	}
	return out
}

// classMeans says in general what a class is about.
func classMeans(name string) string {
	c, _ := finding.ClassNamed(name)
	return c.Means
}
