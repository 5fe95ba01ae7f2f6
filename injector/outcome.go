package injector

import (
	"slices"
	"time"
)

// Outcome is what a diagnosis made of a trial.
type Outcome struct {
	Report    Report      `json:"report"`          // what the injector did
	Hang      bool        `json:"hang"`            // a hang or a lost rank was noticed; for slow, the standstill
	Early     bool        `json:"early"`           // a hang was noticed before the fault: a false alarm
	Over      bool        `json:"over"`            // for slow: the ranks had finished when they were to be observed
	Detected  float64     `json:"detected"`        // seconds from the fault until it was noticed
	Diagnoses []Diagnosis `json:"diagnoses"`       // one for each algorithm
	Ended     bool        `json:"ended,omitempty"` // the job ended before it was to be observed
	Truth     *Truth      `json:"truth,omitempty"` // how the ranks diverged, for faults that make them diverge
	// Alerts are the slowdowns that a user was told of, for faults that make a rank slower.
	Alerts []Alert `json:"alerts,omitempty"`
}

// Record is what is kept of a trial.
type Record struct {
	Trial   Trial     `json:"trial"`             // the trial
	Outcome *Outcome  `json:"outcome,omitempty"` // what came of it; absent: it failed
	Error   string    `json:"error,omitempty"`   // why there is no outcome; such a trial is run again
	Started time.Time `json:"started"`           // when it was started
	Seconds float64   `json:"seconds"`           // how long it took
}

// Verdict is a diagnosis compared with the truth.
type Verdict struct {
	Recall      bool    // the faulty rank is among those named
	Isolated    bool    // it is not, but it is alone in its group
	Imprecision float64 // the share of the named ranks that are not the faulty one
	Exact       bool    // the faulty rank is named and no other
	HasName     bool    // the function at fault has a name
	Function    bool    // its place is named: function, or MPI call
	HasLine     bool    // the source line of the place is known
	Line        bool    // and named
}

// Judge compares a diagnosis with the trial. For a slow-down the first in the
// order of progress counts, since nobody hangs.
func Judge(s Strike, d Diagnosis) Verdict {
	named := d.LP
	if s.Fault.Kind == Slow {
		named = d.First
	}
	v := Verdict{HasName: s.Target.Function != "", HasLine: s.Target.Line > 0}
	v.Recall = slices.Contains(named, s.Rank)
	v.Isolated = !v.Recall && slices.Contains(d.Isolated, s.Rank)
	if wrong := len(named); wrong > 0 {
		if v.Recall {
			wrong--
		}
		v.Imprecision = float64(wrong) / float64(len(named))
	}
	v.Exact = v.Recall && len(named) == 1
	if i := slices.IndexFunc(d.Where, func(l Location) bool { return l.Rank == s.Rank }); v.Recall && i >= 0 {
		v.Function, v.Line = d.Where[i].namesTarget(s.Target)
	}
	return v
}

// namesTarget reports whether a location names the function and its line. The function
// may be anywhere in the stack: what hangs may be something it calls.
func (l Location) namesTarget(t Target) (function, line bool) {
	function = t.Class == MPI && l.MPI == t.Function
	for _, s := range l.Stack {
		function = function || t.Class == MPI && s.Function == "P"+t.Function

		if s.Function != "" && s.Function == t.Name() {
			function = true
			line = line || t.Line > 0 && s.File == t.File && s.Line == t.Line
		}
	}
	return function, line
}
