package report

import (
	"encoding/json"
	"io"
	"time"

	"laggard/model"
	"laggard/model/runfiles"
	"laggard/report/words"
)

// SchemaVersion is the schema_version of the JSON forms. It is raised when a
// field changes its meaning or goes.
const SchemaVersion = 1

// Run is the run that a result is about.
type Run struct {
	Dir     string    `json:"dir"`     // the run directory
	ID      string    `json:"id"`      // number of the run, hexadecimal
	Command []string  `json:"command"` // command line of the job, empty if not recorded
	Created time.Time `json:"created"` // when the run directory was made
	Job     string    `json:"job"`     // the resource manager's job, "" none
}

// NewRun identifies the run of a directory, as far as its manifest is there.
func NewRun(index *runfiles.Index) Run {
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
