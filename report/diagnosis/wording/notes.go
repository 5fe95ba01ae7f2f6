package wording

import (
	"fmt"
	"time"

	"laggard/analysis/progress"
	"laggard/analysis/share"
	"laggard/model/runfiles"
)

// Notes are what a reader should know about a diagnosis and the data it rests on.
func Notes(r *progress.Result) []string {
	notes := FindingNotes(&r.Diagnosis)
	if r.Moving.Len() > 0 {
		notes = append(notes, fmt.Sprintf("the job is running: %s %s progress", r.Moving.Phrase(), verb(r.Moving, "makes", "make")))
	}
	if r.Traced.Len() > 0 {
		notes = append(notes, fmt.Sprintf("a debugger has stopped %s", r.Traced.Phrase()))
	}
	if r.Index != nil {
		notes = append(notes, indexNotes(r.Index)...)
	}
	if r.Torn.Len() > 0 {
		notes = append(notes, fmt.Sprintf("rank %s: ended, or was read, during an update; what it did last may be incomplete", r.Torn))
	}
	if r.NoSlow > 0 {
		notes = append(notes, fmt.Sprintf("in %d samples of the running job no rank was behind for long", r.NoSlow))
	}
	return notes
}

// FindingNotes are those about what was concluded.
func FindingNotes(d *progress.Diagnosis) (notes []string) {
	if d.Unrecorded {
		notes = append(notes, "no rank left a record")
	}
	if d.LeftOut > 0 {
		notes = append(notes, fmt.Sprintf("%d processes outside MPI_COMM_WORLD, or without a known rank, were left out", d.LeftOut))
	}
	if d.Unordered {
		notes = append(notes, "the execution history leaves the order undefined: every position waits for another")
	}
	if d.Off.Len() > 0 && d.LeastProgressed != nil {
		notes = append(notes,
			fmt.Sprintf("the recording of %s stopped before the end; what is shown is how it was at that moment", d.Off.Phrase()))
	}
	if d.OnlyNearest {
		notes = append(notes, fmt.Sprintf("of the edges between %d groups, only the nearest are drawn", len(d.Groups)))
	}
	return notes
}

// indexNotes are those about the files of the run.
func indexNotes(x *runfiles.Index) (notes []string) {
	if m := x.Manifest; m != nil && !m.Noticed.IsZero() {
		notes = append(notes, "state when the hang was detected, "+m.Noticed.Format(time.RFC3339))
	}
	if !x.Stood.IsZero() {
		notes = append(notes, "the job was found to make no progress, "+x.Stood.Format(time.RFC3339)+", and continued by itself")
	}
	notes = append(notes, share.LeftOutNotes(x.Size, x.Duplicates, x.Others)...)
	if x.Strangers > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d recorded processes belong to other MPI jobs of this run, of other sizes than %d; they are ignored", x.Strangers, x.Size))
	}
	if away := share.UncollectedText(x); away != "" {
		notes = append(notes, away)
	}
	return notes
}
