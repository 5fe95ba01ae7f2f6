package diagnosis

import (
	"fmt"
	"time"

	"laggard/analysis/slowness"
	slownessreport "laggard/report/slowness"
	"laggard/report/words"
)

// Speed is how the speed of a job developed that was ended from outside or hangs.
type Speed struct {
	// iterations of the outermost loop per second over the last 10 s; absent: 0 or unknown
	Last float64 `json:"iterations_per_second,omitempty"`
	// the same over the time in which the loop ran at its usual speed; absent: unknown
	Usual      float64  `json:"usual_iterations_per_second,omitempty"`
	Iterations uint64   `json:"iterations,omitempty"`      // in all, of one rank; absent: unknown
	Good       uint64   `json:"good_iterations,omitempty"` // those of the same rank in the first good run; absent: none was named
	Missing    float64  `json:"missing_seconds,omitempty"` // that the rest would have taken at the last speed; absent: unknown
	Changes    []Change `json:"changes"`                   // slowdowns and recoveries, by time
}

// Change is a moment from which a job was slower, or as fast as before again.
type Change struct {
	Time time.Time `json:"time"` // the estimate of when it was
	Kind string    `json:"kind"` // slowdown, recovery, settled or other_loop
	Text string    `json:"text"` // one sentence
}

// AddSpeed adds how the speed developed. good is how many iterations a good run made; 0: unknown.
func AddSpeed(r *Result, d *slowness.Development, good uint64) {
	s := &Speed{Last: d.Rate.Now, Usual: d.Rate.Before, Iterations: d.Iterations, Good: good, Changes: []Change{}}
	if r.Hang { // it had no speed any more
		s.Last = 0
	}
	if s.Last > 0 && s.Iterations > 0 && good > s.Iterations {
		s.Missing = float64(good-s.Iterations) / s.Last
	}
	for i := range d.Events {
		e := &d.Events[i]
		if r.Hang && !e.IsAlert() { // that nothing moves is said already
			continue
		}
		s.Changes = append(s.Changes, Change{e.Begin.UTC(), string(e.Kind), slownessreport.Describe(e)})
	}
	r.Speed = s
}

// Speed writes how the speed of a job developed.
func (t *TextReport) Speed(r *Result) error {
	if r.Speed == nil {
		return nil
	}
	return t.write(func(p *printer) { p.section(speedLines(r), "changes of speed") })
}

// speedLines are the sentences about the speed.
func speedLines(r *Result) (out []string) {
	s := r.Speed
	made := ""
	if s.Iterations > 0 {
		made = fmt.Sprintf("; %d iterations in all", s.Iterations)
	}
	switch rate := slownessreport.Rate; {
	case s.Usual > 0 && r.Hang:
		out = append(out, fmt.Sprintf("Until it stopped the job ran %s iterations/s%s.", rate(s.Usual), made))
	case s.Last > 0:
		text := fmt.Sprintf("In its last 10 s the job ran %s iterations/s", rate(s.Last))
		if s.Usual > 0 && len(s.Changes) > 0 {
			text += fmt.Sprintf(", usually %s", rate(s.Usual))
		}
		out = append(out, text+made+".")
	}
	if s.Missing > 0 {
		out = append(out, fmt.Sprintf("The good run made %d iterations: at its last speed this one would have needed %s more.", s.Good,
			time.Duration(s.Missing*float64(time.Second)).Round(time.Second)))
	}
	for _, c := range s.Changes {
		out = append(out, words.Upper(c.Text)+".")
	}
	return out
}
