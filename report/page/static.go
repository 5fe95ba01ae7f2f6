package page

import (
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

// Static is a kind of page without a script: a template of the body and rules of its own.
type Static struct {
	name  string
	style string
	body  func() *template.Template // parsed at first use, since most commands write no page
}

// NewStatic makes a kind of page. The name is that of the report, for errors; functions are those that the template of
// the body uses.
func NewStatic(name, body, style string, functions template.FuncMap) Static {
	return Static{name, style, sync.OnceValue(func() *template.Template {
		return template.Must(template.New(name).Funcs(functions).Parse(body))
	})}
}

// Write fills the body from data and writes the page.
func (s Static) Write(w io.Writer, title string, data any) error {
	var body strings.Builder
	if err := s.body().Execute(&body, data); err != nil {
		return fmt.Errorf("report: %s: %w", s.name, err)
	}
	return Write(w, Content{Title: title, Style: s.style, Body: body.String()})
}
