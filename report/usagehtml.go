package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"path"
	"slices"

	"laggard/analysis/usage/replay"
)

// UsageHTML writes the findings as one page that needs nothing else, with the
// source around each call as far as it was found. It has no scripts.
func UsageHTML(w io.Writer, u *Usage) error {
	var style []byte
	for _, name := range []string{"page/page.css", "page/usage.css"} {
		text, err := pageFiles.ReadFile(name)
		if err != nil {
			return err
		}
		style = append(style, text...)
	}
	shell, err := pageFiles.ReadFile("page/usage.html")
	if err != nil {
		return err
	}
	t, err := template.New("usage").Funcs(template.FuncMap{
		"ranks": ranks, "times": times, "place": usagePlace,
		"lines": usageLines, "base": path.Base, "means": classMeans,
	}).Parse(string(shell))
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Policy": template.HTMLAttr(`content="` + pagePolicy(style, nil) + `"`), "Style": template.CSS(style),
		"Headline": usageHeadline(u), "Usage": u,
	})
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// sourceLine is a line of an excerpt on the page.
type sourceLine struct {
	Number int
	Text   string
	Called bool // a call of the finding stands here
}

func usageLines(f UsageFinding, e Excerpt) []sourceLine {
	out := make([]sourceLine, len(e.Text))
	for i, text := range e.Text {
		n := e.First + i
		out[i] = sourceLine{n, text, slices.ContainsFunc(f.Locations, func(l UsageLocation) bool { return l.File == e.File && l.Line == n })}
	}
	return out
}

// classMeans says in general what a class is about.
func classMeans(name string) string {
	c, _ := usage.ClassNamed(name)
	return c.Means
}
