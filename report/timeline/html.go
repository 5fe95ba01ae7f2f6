package timeline

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"

	"laggard/report/page"
	"laggard/report/words"
)

// Script has the function drawTimeline(element, result), for every page that shows a [Result].
//
//go:embed page/strips.js
var Script string

// Style has the rules for what drawTimeline makes.
//
//go:embed page/page.css
var Style string

//go:embed page/main.js
var pageScript string

// HTML writes the result as one page. A browser without scripts shows the text form.
func HTML(w io.Writer, r *Result) error {
	var text bytes.Buffer
	if err := Text(&text, r); err != nil {
		return err
	}
	title := fmt.Sprintf("Timeline of %s", words.Size(r.Ranks))
	return page.Write(w, page.Content{
		Title: title + " – " + r.Run.Dir,
		Style: Style,
		Body: fmt.Sprintf("<noscript><pre>%s</pre></noscript>\n<div id=\"page\"><header><h1>%s</h1><p class=\"run\">%s</p></header></div>",
			html.EscapeString(text.String()), title, html.EscapeString(words.Printable(r.Run.Dir))),
		Script: "\"use strict\";\n" + Script + pageScript,
		Data:   r,
	})
}
