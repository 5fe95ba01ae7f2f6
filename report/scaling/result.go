package scaling

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"laggard/analysis/scaling"
	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/model"
	"laggard/report"
	"laggard/report/words"
)

// Run is the run that was judged.
type Run struct {
	Dir     string   `json:"dir"`     // the run directory
	ID      string   `json:"id"`      // number of the run, hexadecimal
	Command []string `json:"command"` // command line of the job
	Ranks   int      `json:"ranks"`   // size of MPI_COMM_WORLD
}

// Result is the verdict on one run. The fields of the source that decides are repeated at the top.
type Result struct {
	SchemaVersion int             `json:"schema_version"` // version of this JSON form
	Run           Run             `json:"run"`            // the run that was judged
	Flagged       model.RankSet   `json:"flagged_ranks"`  // ranks that do not behave as predicted
	Model         string          `json:"verdict_model"`  // the model that decided: same_scale, kcca or regression
	Source        recorded.Source `json:"verdict_source"` // where the volume was observed: mpi or socket
	// the run is inside the range of a model; if false, an empty flagged_ranks proves nothing
	InRange      bool                  `json:"in_range"`
	Ranks        []int                 `json:"ranks"`        // the ranks that were judged
	Correlation  []float64             `json:"correlation"`  // correlation of each of them, -1 to 1
	Threshold    float64               `json:"threshold"`    // the largest 1 - correlation that is not flagged
	Crash        *recorded.Crash       `json:"crash"`        // the rank that crashed first; null: none
	Localisation []judge.SourcePlace   `json:"localisation"` // where to look, most likely place first
	Sources      []judge.SourceVerdict `json:"sources"`      // the verdict for each source
	Notes        []string              `json:"notes"`        // remarks on the result, see docs/reference/notes.md#scaling
	Problems     []string              `json:"problems"`     // what was missing or damaged in the data

	seen []scaling.Seen
}

// New makes the result of what was concluded about a run.
func New(run report.Run, found *scaling.Result) *Result {
	v := found.Answer.Leading.Verdict
	return &Result{
		SchemaVersion: report.SchemaVersion,
		Run:           Run{Dir: run.Dir, ID: run.ID, Command: run.Command, Ranks: found.Index.Size},
		Flagged:       found.Answer.Flagged,
		Model:         v.Model, Source: found.Answer.Leading.Source, InRange: found.Answer.InRange,
		Ranks: v.Ranks, Correlation: v.Correlation, Threshold: v.Threshold,
		Crash: found.Crash, Localisation: found.Answer.Places, Sources: found.Answer.Sources,
		Notes: append([]string{}, found.Notes...), Problems: append([]string{}, found.Problems...), seen: found.Seen,
	}
}

// frameText names a frame: function, and file with line or module with offset.
func frameText(f recorded.Frame) string {
	name := f.Function
	switch {
	case name == "" && f.Offset != 0:
		return words.Printable(fmt.Sprintf("%s+%#x", path.Base(f.Module), f.Offset))
	case name == "":
		name = "?"
	}
	switch {
	case f.File != "":
		return words.Printable(fmt.Sprintf("%s (%s:%d)", name, path.Base(f.File), f.Line))
	case f.Offset != 0:
		return words.Printable(fmt.Sprintf("%s (%s)", name, path.Base(f.Module)))
	}
	return words.Printable(name)
}

// programFrames are the frames of a site as far as they are the program's: what starts
// main, or the interpreter, is left out.
func programFrames(s *recorded.Site) []recorded.Frame {
	if s == nil {
		return nil
	}
	frames := s.Frames
	for i := len(frames) - 1; i >= 0; i-- {
		if _, ok := frames[i].Python(); ok {
			return frames[:i+1]
		}
	}
	if at := slices.IndexFunc(frames, func(f recorded.Frame) bool {
		return f.Function == "main" ||
			f.Function == "MAIN__"
	}); at >= 0 {
		frames = frames[:at+1]
	}
	return frames
}

// siteName is a short name of a site: its two innermost frames, and the first that
// is the program's own.
func siteName(s *recorded.Site) string {
	if s == nil {
		return "–"
	}
	text := ""
	if s.Feature != "" {
		text = words.Printable(s.Feature) + " of "
	}
	frames := programFrames(s)
	if len(frames) == 0 {
		return strings.TrimSuffix(text, " of ")
	}
	text += frameText(frames[0])
	at := recorded.ProgramAt(frames, recorded.InLibrary)
	if at > 1 {
		text += " ← " + frameText(frames[1])
	}
	if at > 0 {
		text += " ← " + frameText(frames[at])
	}
	return text
}
