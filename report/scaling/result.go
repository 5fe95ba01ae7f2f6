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

// Run says which run it is about.
type Run struct {
	Dir     string   `json:"dir"`
	ID      string   `json:"id"`
	Command []string `json:"command"`
	Ranks   int      `json:"ranks"`
}

// Result is the answer about one run. The fields of the first model that speaks
// are repeated at the top.
type Result struct {
	SchemaVersion int                   `json:"schema_version"`
	Run           Run                   `json:"run"`
	Flagged       model.RankSet         `json:"flagged_ranks"`
	Model         string                `json:"verdict_model"`
	Source        recorded.Source       `json:"verdict_source"`
	InRange       bool                  `json:"in_range"`
	Ranks         []int                 `json:"ranks"`       // that were judged
	Correlation   []float64             `json:"correlation"` // of these
	Threshold     float64               `json:"threshold"`   // the largest 1 − correlation that is not flagged
	Crash         *recorded.Crash       `json:"crash"`
	Localisation  []judge.SourcePlace   `json:"localisation"`
	Sources       []judge.SourceVerdict `json:"sources"`
	Notes         []string              `json:"notes"`
	Problems      []string              `json:"problems"`

	seen []scaling.Seen
}

// New makes the result of what was concluded about a run.
func New(run report.Run, found *scaling.Result) *Result {
	v := found.Answer.Speaks.Verdict
	return &Result{
		SchemaVersion: report.SchemaVersion,
		Run:           Run{Dir: run.Dir, ID: run.ID, Command: run.Command, Ranks: found.Index.Size},
		Flagged:       found.Answer.Flagged,
		Model:         v.Model, Source: found.Answer.Speaks.Source, InRange: found.Answer.InRange,
		Ranks: v.Ranks, Correlation: v.Correlation, Threshold: v.Threshold,
		Crash: found.Crash, Localisation: found.Answer.Places, Sources: found.Answer.Sources,
		Notes: append([]string{}, found.Notes...), Problems: append([]string{}, found.Problems...), seen: found.Seen,
	}
}

// where names a frame: function, and file with line or module with offset.
func where(f recorded.Frame) string {
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

// shown are the frames of a site as far as they are the program's: what starts
// main, or the interpreter, is left out.
func shown(s *recorded.Site) []recorded.Frame {
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

// name is a short name of a site: its two innermost frames, and the first that
// is the program's own.
func name(s *recorded.Site) string {
	if s == nil {
		return "–"
	}
	text := ""
	if s.Feature != "" {
		text = words.Printable(s.Feature) + " of "
	}
	frames := shown(s)
	if len(frames) == 0 {
		return strings.TrimSuffix(text, " of ")
	}
	text += where(frames[0])
	at := recorded.ProgramAt(frames, recorded.InLibrary)
	if at > 1 {
		text += " ← " + where(frames[1])
	}
	if at > 0 {
		text += " ← " + where(frames[at])
	}
	return text
}
