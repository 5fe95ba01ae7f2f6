package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"laggard/report/words"
)

//go:embed shell.html
var shell string

//go:embed page.css
var style string

// Content is what one kind of page puts into the shell.
type Content struct {
	Title string // text
	Style string // rules of its own, after those that all pages share
	Body  string // markup; whatever comes from a run directory is escaped in it
	// Script runs on the page, over Data, which it finds as JSON in the element
	// "data". "": the page has no script.
	Script string
	Data   any
}

// Write writes the page. The same content gives the same bytes.
func Write(w io.Writer, c Content) error {
	scripts, err := c.scriptElements()
	if err != nil {
		return fmt.Errorf("page: data: %w", err)
	}
	_, err = strings.NewReplacer(
		"{{policy}}", contentSecurityPolicy(style+c.Style, c.Script),
		"{{title}}", html.EscapeString(words.Printable(c.Title)),
		"{{style}}", style+c.Style,
		"{{body}}", strings.TrimSuffix(c.Body, "\n"),
		"{{scripts}}", scripts,
	).WriteString(w, shell)
	return err
}

// scriptElements embeds the data and the script. JSON as package json writes it holds
// no "<", so that no text in it ends the element.
func (c Content) scriptElements() (string, error) {
	if c.Script == "" {
		return "", nil
	}
	data, err := json.Marshal(c.Data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("<script type=\"application/json\" id=\"data\">%s</script>\n<script>%s</script>\n", data,
		c.Script), nil
}

// contentSecurityPolicy forbids everything but this style and this script, which it knows by
// their hashes.
func contentSecurityPolicy(style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; "+
		"form-action 'none'",
		hash(style), hash(script))
}
