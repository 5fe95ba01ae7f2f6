package report

import (
	"encoding/json"
	"io"
)

// JSON writes the result in its JSON form, indented, with a newline at the end.
func JSON(w io.Writer, r *Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
