package diagnosis

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"io"
	"strings"

	"laggard/report/page"
	"laggard/report/timeline"
)

//go:embed page
var pageFiles embed.FS

// pageScripts are the scripts of the page in the order they run in: the graph
// layout and its licence, what the sections share, one file per section in the
// order they are shown in, and what puts them on the page.
var pageScripts = []string{
	"dagre.min.js", "ranks.js", "dom.js", "state.js",
	"answer.js", "explained.js", "parting.js", "difference.js", "library.js", "filter.js", "graph.js", "group.js",
	"source.js", "grid.js", "timeline.js", "tree.js", "order.js", "compared.js", "record.js",
	"keys.js", "main.js",
}

// maxNoScript bounds the text form in the page, in bytes.
const maxNoScript = 64 << 10

// HTML writes the result as one page that needs nothing else: no network, and
// no program but a browser. The page holds its data as JSON and a policy that
// lets run only the scripts that were written with it; a browser without
// scripts shows the text form. As [Text], it does not contain the Analysis.
func HTML(w io.Writer, r *Result) error {
	data, err := newPage(r)
	if err != nil {
		return fmt.Errorf("report: diagnosis: %w", err)
	}
	script, err := pageScript()
	if err != nil {
		return err
	}
	text, err := noScript(r)
	if err != nil {
		return err
	}
	return page.Write(w, page.Content{
		Title:  Headline(r) + " – " + r.Run.Dir,
		Body:   "<noscript><pre>" + html.EscapeString(text) + "</pre></noscript>\n<div id=\"page\"></div>",
		Style:  timeline.Style,
		Script: script,
		Data:   data,
	})
}

// pageScript joins the scripts. The licence of the library goes with it.
func pageScript() (string, error) {
	licence, err := pageFiles.ReadFile("page/dagre.LICENSE")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\"use strict\";\n/* @dagrejs/dagre 3.1.3\n\n%s*/\n", licence)
	b.WriteString(timeline.Script)
	for _, name := range pageScripts {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// noScript is the text form, cut at the end of a line.
func noScript(r *Result) (string, error) {
	var b bytes.Buffer
	if err := Text(&b, r); err != nil {
		return "", err
	}
	if b.Len() <= maxNoScript {
		return b.String(), nil
	}
	text := b.String()[:maxNoScript]
	return text[:strings.LastIndexByte(text, '\n')+1] + "… (all of it in the text form)\n", nil
}
