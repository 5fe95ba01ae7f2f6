package injector

import (
	"slices"
	"time"
)

// Outcome is what a diagnosis made of a trial.
type Outcome struct {
	Report Report `json:"report"` // what the injector did
	Hang   bool   `json:"hang"`   // a hang, a loss or, of a slow-down, the standstill was noticed
	Early  bool   `json:"early"`  // a hang was noticed before the fault, which is a false alarm
	Over   bool   `json:"over"`   // of a slow-down: all ranks were through when it was to be looked at
	// Detected is the time from the fault to that, seconds.
	Detected  float64     `json:"detected"`
	Diagnoses []Diagnosis `json:"diagnoses"`       // one per algorithm
	Ended     bool        `json:"ended,omitempty"` // the job was over before it was to be looked at
	Truth     *Truth      `json:"truth,omitempty"` // where ranks were to part
}

// Record is what is kept of a trial.
type Record struct {
	Trial   Trial     `json:"trial"`
	Outcome *Outcome  `json:"outcome,omitempty"`
	Error   string    `json:"error,omitempty"` // why there is no outcome; such a trial is tried again
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
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
		v.Function, v.Line = d.Where[i].names(s.Target)
	}
	return v
}

// names tells whether a location names the function and its line. The function
// may be anywhere in the stack: what hangs may be something it calls.
func (l Location) names(t Target) (function, line bool) {
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
