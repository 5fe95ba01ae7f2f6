package usage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path"
	"slices"
	"sync"

	"laggard/analysis/usage/finding"
	"laggard/report/page"
	"laggard/report/source"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var pageBody = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("usage").Funcs(template.FuncMap{
		"ranks": words.Ranks, "times": timesText, "place": placeText, "ways": waysText,
		"lines": sourceLines, "base": path.Base, "means": classMeans,
	}).Parse(body))
})

// HTML writes the findings as one page that needs nothing else, with the source
// around each call as far as it was found. It has no scripts.
func HTML(w io.Writer, r *Result) error {
	findings := r.mergedFindings()
	title := headline(r, findings)
	body, err := page.Fill(pageBody(), map[string]any{"Headline": title, "Usage": r, "Findings": findings})
	if err != nil {
		return fmt.Errorf("report: usage: %w", err)
	}
	return page.Write(w, page.Content{Title: title + " – " + r.Run.Dir, Style: style, Body: body})
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
