package provoke

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"laggard/injector/provoke"
	"laggard/report/page"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var staticPage = page.NewStatic("provoke", body, style, template.FuncMap{"rank": rankText, "upper": words.Upper})

// rankText names the rank of a rule.
func rankText(rank int) string {
	if rank == provoke.EveryRank {
		return "all"
	}
	return fmt.Sprint(rank)
}

func printableLines(text string) string {
	return strings.Join(words.AllPrintable(strings.Split(text, "\n")), "\n")
}

// HTML writes the report as one page that needs nothing else. diagnosis is the text about the run that failed, "" none.
func (r *Report) HTML(w io.Writer, diagnosis string) error {
	return staticPage.Write(w, r.Headline(), map[string]any{
		"Report": r, "Headline": r.Headline(), "Replay": r.replay(), "Notes": r.notes(),
		"TriedHeading": r.triedHeading(), "Diagnosis": printableLines(diagnosis),
	})
}
