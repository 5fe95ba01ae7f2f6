package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// pageScripts are the scripts of the page in the order they run in: the graph
// layout and its licence, what the sections share, one file per section in the
// order they are shown in, and what puts them on the page.
var pageScripts = []string{
	"dagre.min.js", "ranks.js", "dom.js", "state.js",
	"answer.js", "filter.js", "graph.js", "group.js", "source.js", "grid.js", "tree.js", "order.js", "compared.js", "record.js",
	"keys.js", "main.js",
}

// maxNoScript bounds the text form in the page, in bytes.
const maxNoScript = 64 << 10

// HTML writes the result as one page that needs nothing else: no network, and
// no program but a browser. The page holds its data as JSON and a policy that
// lets run only the scripts that were written with it; a browser without
// scripts shows the text form. As [Text], it does not contain the Analysis.
func HTML(w io.Writer, r *Result) error {
	content, err := newPage(r)
	if err != nil {
		return fmt.Errorf("report: page: %w", err)
	}
	data, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("report: page data: %w", err)
	}
	script, err := pageScript()
	if err != nil {
		return err
	}
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return err
	}
	shell, err := pageFiles.ReadFile("page/page.html")
	if err != nil {
		return err
	}
	text, err := noScript(r)
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"{{policy}}", pagePolicy(style, script),
		"{{title}}", html.EscapeString(headline(r)+" – "+Printable(r.Run.Dir)),
		"{{style}}", string(style),
		"{{text}}", html.EscapeString(text),
		"{{data}}", string(data),
		"{{script}}", string(script),
	).WriteString(w, string(shell))
	return err
}

// Style is the style sheet of the page, for other pages that look the same.
func Style() (string, error) {
	style, err := pageFiles.ReadFile("page/page.css")
	return string(style), err
}

// Policy is what a page without scripts says of what it may load: nothing but
// the style that is written with it.
func Policy(style string) string { return pagePolicy([]byte(style), nil) }

// pageScript joins the scripts. The licence of the library goes with it.
func pageScript() ([]byte, error) {
	licence, err := pageFiles.ReadFile("page/dagre.LICENSE")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\"use strict\";\n/* @dagrejs/dagre 3.1.3\n\n%s*/\n", licence)
	for _, name := range pageScripts {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return nil, err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// pagePolicy forbids everything but this style and this script.
func pagePolicy(style, script []byte) string {
	hash := func(b []byte) string {
		sum := sha256.Sum256(b)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'", hash(style), hash(script))
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
