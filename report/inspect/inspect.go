package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/report/words"
)

// Text prints what a run directory holds, what is missing and what is damaged.
func Text(w io.Writer, r *runfiles.Report) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s: run %s, %d ranks\n", r.Dir, model.RunIDText(r.RunID), r.Size)
	if m := r.Manifest; m != nil {
		fmt.Fprintf(out, "  made %s by laggard %q: %q\n", m.Created.Format(time.RFC3339), m.Version, m.Command)
	} else {
		fmt.Fprintf(out, "  no %s\n", runfiles.ManifestName)
	}
	if len(r.Files) <= maxListed {
		for _, f := range r.Files {
			on := ""
			if f.Processors > 0 {
				on = fmt.Sprintf(", each on %s at most", words.Count(f.Processors, "processor", "processors"))
			}
			fmt.Fprintf(out, "\n%q: host %q, %d bytes, %d processes%s, ranks %s\n", f.Name, f.Host, f.Bytes, f.Slots, on,
				f.Ranks)
			recordsText(out, f.Records)
		}
	} else {
		all := sumUp(r.Files)
		fmt.Fprintf(out, "\n%d node files: %d bytes, %d processes, %d ranks\n", len(r.Files), all.Bytes, all.Slots,
			all.Ranks.Len())
		recordsText(out, all.Records)
	}
	if r.Missing.Len() > 0 {
		fmt.Fprintf(out, "\nmissing: %d ranks left no data: %s\n", r.Missing.Len(), r.Missing)
	}
	if r.Foreign.Len() > 0 {
		fmt.Fprintf(out, "  of these, ranks %s are in files of another run\n", r.Foreign)
	}
	for _, note := range share.LeftOutNotes(r.Size, r.Duplicates, r.Others) {
		fmt.Fprintf(out, "\nnote: %s\n", note)
	}
	if len(r.Problems) > 0 {
		fmt.Fprintf(out, "\ndamaged:\n")
	}
	for _, line := range share.Describe(r.Problems) {
		fmt.Fprintf(out, "  %q\n", line)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// maxListed is how many node files are told one by one; the JSON form has all.
const maxListed = 16

func recordsText(out *strings.Builder, records []nodefile.RecordCount) {
	for _, c := range records {
		unit := "records"
		if c.Events {
			unit = "blocks of events"
		}
		fmt.Fprintf(out, "  %-9s %6d %s %9d bytes\n", c.Type, c.Count, unit, c.Bytes)
	}
}

// sumUp adds up node files.
func sumUp(files []runfiles.FileReport) runfiles.FileReport {
	var all runfiles.FileReport
	at := map[string]int{} // record type to index
	for _, f := range files {
		all.Bytes += f.Bytes
		all.Slots += f.Slots
		all.Ranks = all.Ranks.Union(f.Ranks)
		for _, c := range f.Records {
			i, known := at[c.Type]
			if !known {
				i = len(all.Records)
				at[c.Type] = i
				all.Records = append(all.Records, nodefile.RecordCount{Type: c.Type, Events: c.Events})
			}
			all.Records[i].Count += c.Count
			all.Records[i].Bytes += c.Bytes
		}
	}
	return all
}

// Inspection is what a run directory holds, what is missing and what is damaged.
type Inspection struct {
	SchemaVersion int    `json:"schema_version"` // version of this JSON form
	Dir           string `json:"dir"`            // the run directory
	RunID         string `json:"run_id"`         // number of the run, hexadecimal
	Ranks         int    `json:"ranks"`          // size of MPI_COMM_WORLD; 0: unknown
	Files         []File `json:"files"`          // the node files, by name
	Missing       string `json:"missing"`        // ranks without a record; "": none
	Foreign       string `json:"foreign"`        // those of them that are recorded in files of another run; "": none
	// Problems are what could not be read, one sentence each.
	Problems []string `json:"problems"`
}

// File is one node file.
type File struct {
	Name  string `json:"name"`  // path below the run directory
	Host  string `json:"host"`  // name of the node
	Bytes int64  `json:"bytes"` // size of the file
	Slots int    `json:"slots"` // processes recorded in it
	// on how many processors of the node each of them could run, at most; 0: unknown
	Processors int            `json:"processors"`
	Ranks      string         `json:"ranks"`   // their ranks
	Records    map[string]int `json:"records"` // number of records of each type, as in docs/reference/format.md
}

// JSON writes the same, each node file on its own.
func JSON(w io.Writer, r *runfiles.Report) error {
	out := Inspection{
		SchemaVersion: 1, Dir: r.Dir, RunID: model.RunIDText(r.RunID), Ranks: r.Size,
		Files: []File{}, Missing: r.Missing.String(), Foreign: r.Foreign.String(), Problems: []string{},
	}
	for _, f := range r.Files {
		records := map[string]int{}
		for _, c := range f.Records {
			records[c.Type] = c.Count
		}
		out.Files = append(out.Files, File{f.Name, f.Host, f.Bytes, f.Slots, f.Processors, f.Ranks.String(), records})
	}
	out.Problems = append(out.Problems, share.Describe(r.Problems)...)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
