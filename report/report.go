package report

import (
	"encoding/json"
	"io"
	"time"

	"laggard/model"
	"laggard/report/words"
)

// SchemaVersion is the schema_version of the JSON forms. It is raised when a
// field changes its meaning or goes.
const SchemaVersion = 1

// Run identifies the run.
type Run struct {
	Dir     string    `json:"dir"`
	ID      string    `json:"id"` // hexadecimal
	Command []string  `json:"command"`
	Created time.Time `json:"created"`
	Job     string    `json:"job"` // the resource manager's name, "" none
}

// NewRun identifies the run of a directory, as far as its manifest is there.
func NewRun(index *model.Index) Run {
	r := Run{Dir: index.Dir, ID: model.RunIDText(index.ID), Command: []string{}}
	if m := index.Manifest; m != nil {
		r.Command, r.Created, r.Job = words.AllPrintable(m.Command), m.Created, words.Printable(m.Job)
	}
	return r
}

// JSON writes a result in its JSON form, indented, with a newline at the end.
func JSON(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(result)
}
