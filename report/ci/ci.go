package ci

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"laggard/report/diagnosis"
	"laggard/report/usage"
	"laggard/report/words"
)

// Outcome is how a test ended.
type Outcome struct {
	Name    string // of the test; "" its command is
	Command []string
	Status  int  // exit status of the command, 124 if it hung
	Hung    bool // it was ended for that
	Began   time.Time
	Took    time.Duration
	RunDir  string            // what was recorded, if it is kept; else ""
	Failure *Failure          // what a rank failed with while others waited; nil: none did
	Result  *diagnosis.Result // nil: nothing was diagnosed
	Choices *Choices          // with which the test failed; nil: it failed as it is, or passed
	Usage   *usage.Result     // wrong use of MPI; nil: it was not looked for
	Text    string            // the diagnosis and the wrong use, as a terminal shows them
	Version string            // of laggard
	Dir     string            // that files are named from, where they lie in it
}

// Choices are choices that MPI leaves open, with which a test failed that passes as it is.
type Choices struct {
	Text   string // a sentence about them
	Places []Place
}

// Place is a line of the program.
type Place struct {
	File string // "" unknown
	Line int
}

// findings name each place of a choice.
func (c *Choices) findings() (out []finding) {
	one := finding{rule: "provoked", title: "Fails with another legal choice of MPI", level: "error", message: c.Text}
	for _, p := range c.Places {
		one.Place = p
		out = append(out, one)
	}
	if len(out) == 0 {
		return []finding{one}
	}
	return out
}

func (o *Outcome) displayName() string {
	if o.Name != "" {
		return o.Name
	}
	return commandLine(o.Command)
}

// Failed reports whether the test did not pass.
func (o *Outcome) Failed() bool { return o.Status != 0 }

// Died is who is named where a job ended by itself; nil: it hung, or no rank is.
func (o *Outcome) Died() []int {
	if o.Hung || o.Result == nil || o.Result.LeastProgressed == nil {
		return nil
	}
	return o.Result.LeastProgressed.Ranks
}

// Size is how many ranks the launcher started; 0: it is not known.
func (o *Outcome) Size() int {
	if o.Result == nil || len(o.Result.Spawned) > 0 { // their ranks are counted with the others
		return 0
	}
	return o.Result.Ranks
}

// Failure is what a rank failed with in the test that others are in still.
type Failure struct {
	Text string
	Place
}

// finding is something at a place of the program, its cause.
type finding struct {
	rule, title, level, message string // level: error, warning
	Place
	related []Place // other places that belong to it
}

// findings lists what is to be looked at, the cause first.
func (o *Outcome) findings() []finding {
	var out []finding
	switch {
	case o.Choices != nil:
		out = o.Choices.findings()
	case o.Failed():
		out = append(out, o.failureFinding())
	}
	if o.Usage == nil {
		return out
	}
	for i := range o.Usage.Findings {
		f := &o.Usage.Findings[i]
		one := finding{
			rule: "usage/" + f.Class, title: words.Upper(f.Class), level: f.Severity,
			message: fmt.Sprintf("%s: %s", words.Upper(words.Ranks(f.Ranks)), f.Message),
		}
		for _, l := range f.Locations {
			if l.File != "" {
				one.Place = Place{l.File, l.Line}
				break
			}
		}
		out = append(out, one)
	}
	return out
}

// failureFinding says why the test failed: at what a rank failed with while others waited, at the line that decided which way ranks
// went, at the send of a message with another tag than the awaited one, or where the first of the named ranks is. Ranks that wait
// for these are no cause.
func (o *Outcome) failureFinding() finding {
	one := finding{rule: "failed", title: "Test failed", level: "error"}
	one.message = fmt.Sprintf("exit status %d", o.Status)
	if o.Hung {
		one.rule, one.title, one.message = "hang", "MPI job hangs", "the job makes no progress"
	}
	if f := o.Failure; f != nil {
		one.message, one.Place = words.Upper(f.Text), f.Place
		return one
	}
	r := o.Result
	if r == nil || r.LeastProgressed == nil {
		return one
	}
	if r.Cause != nil && o.Hung {
		one.rule = "hang/" + r.Cause.Kind
	}
	one.message = fmt.Sprintf("%s (confidence %.2f): %s", diagnosis.Headline(r), r.LeastProgressed.Confidence,
		r.LeastProgressed.Reason)
	var places []Place
	if len(r.Divergences) > 0 && r.Divergences[0].Branch != nil && r.Divergences[0].Branch.File != "" {
		b := r.Divergences[0].Branch
		places = append(places, Place{b.File, b.Line})
		one.message += "; this decided which way ranks went: " + b.Text
	}
	if sent := r.MismatchedSend(); len(places) == 0 && sent.File != "" {
		places = append(places, Place{sent.File, sent.Line})
	}
	for _, l := range r.LeastProgressed.Locations {
		if at := placeOf(l); at.File != "" && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	if len(places) > 0 {
		one.Place, one.related = places[0], places[1:]
	}
	return one
}

// placeOf is the innermost line of the program where a rank is.
func placeOf(l diagnosis.Location) Place {
	if l.File != "" {
		return Place{l.File, l.Line}
	}
	for _, f := range l.Stack {
		if f.File != "" {
			return Place{f.File, f.Line}
		}
	}
	return Place{}
}

// commandLine is a command as it would be typed, nearly.
func commandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'") {
			out[i] = strconv.Quote(w)
		}
	}
	return strings.Join(out, " ")
}

// relativePath names a file as the services want it: from the top of the source tree.
func (o *Outcome) relativePath(file string) string {
	if rel, err := filepath.Rel(o.Dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}

// SourceTree is the top of the source tree, from which the services name files: as GitHub or GitLab say, else the directory
// above the current one that Git knows, else that one.
func SourceTree() string {
	here, _ := os.Getwd()
	if top := cmp.Or(os.Getenv("GITHUB_WORKSPACE"), os.Getenv("CI_PROJECT_DIR")); top != "" {
		return top
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

// headline is the outcome in one line.
func (o *Outcome) headline() string {
	switch {
	case o.Hung && o.Result != nil:
		return "hangs: " + diagnosis.Headline(o.Result)
	case o.Hung:
		return "hangs"
	case o.Failed():
		return fmt.Sprintf("exit status %d", o.Status)
	}
	return "passed"
}
