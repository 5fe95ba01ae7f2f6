package diagnosis

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/report"
)

// pyFrame is a frame of a program in Python.
func pyFrame(file, function string, line int) model.Frame {
	module := &model.Module{Path: file + ":" + function, BuildID: "707974686f6e0011"}
	return model.Frame{Module: module, Offset: uint64(line)}
}

func TestExceptions(t *testing.T) {
	raise, caught := pyFrame("/home/u/app.py", "parse", 12), pyFrame("/home/u/app.py", "load", 30)
	of := func(d progress.Diagnosis) *Result {
		run := report.NewRun(&runfiles.Index{})
		return New(Source{Run: run, Result: &progress.Result{Diagnosis: d}, Resolver: testResolver(t)})
	}
	library := pyFrame("/usr/lib/python3.11/json/decoder.py", "decode", 355)
	for name, c := range map[string]struct {
		raised facts.Raised
		line   string
	}{
		"handled": {facts.Raised{How: model.RaisedHandled, Type: "ValueError", Frames: []model.Frame{raise, caught}},
			"rank 1: ValueError, raised in parse (app.py:12), is being handled or passed on by load (app.py:30)"},
		"in one function": {facts.Raised{How: model.RaisedHandled, Type: "ValueError", Frames: []model.Frame{raise}},
			"rank 1: ValueError, raised in parse (app.py:12), is being handled or passed on"},
		"library": {facts.Raised{How: model.RaisedLast, Type: "KeyError", Frames: []model.Frame{library, raise}},
			"rank 1: KeyError, raised in decode (decoder.py:355), called from parse (app.py:12), was not caught"},
		"thrown": {facts.Raised{How: model.RaisedThrown, Type: "St12length_error"}, "rank 1: std::length_error"},
		"thrown, a type that was cut": {facts.Raised{How: model.RaisedThrown, Type: "N4mesh5Error"},
			"rank 1: N4mesh5Error"},
		"thrown, with a text": {facts.Raised{How: model.RaisedThrown, Type: "St12out_of_range", Text: "index 12\x1b"},
			"rank 1: std::out_of_range: index 12\uFFFD"},
		"in another thread": {facts.Raised{How: model.RaisedThrown, Type: "St12out_of_range", Ended: true},
			"rank 1: std::out_of_range, in a thread that has ended"},
		"of a thread without calls": {facts.Raised{How: model.RaisedThrown, Type: "St12out_of_range", Elsewhere: true},
			"rank 1: std::out_of_range, in a thread that does not call MPI"},
		"of a thread that it ended": {
			facts.Raised{How: model.RaisedThread, Type: "ValueError", Text: "no samples", Frames: []model.Frame{raise, library},
				Elsewhere: true},
			"rank 1: ValueError: no samples, raised in parse (app.py:12), was not caught and ended its thread"},
		"in a future": {facts.Raised{How: model.RaisedFuture, Type: "ValueError", Frames: []model.Frame{raise, library}, Elsewhere: true},
			"rank 1: ValueError, raised in parse (app.py:12), was put into a future"},
		"fatal":     {facts.Raised{How: model.RaisedFatal, Type: "Fortran STOP", Text: "no input"}, "rank 1: Fortran STOP: no input"},
		"no frames": {facts.Raised{How: model.RaisedSet, Type: "Error\x1b"}, "rank 1: Error\uFFFD is on its way"},
	} {
		c.raised.Ranks = set(1)
		d := progress.Diagnosis{Size: 3, Hang: true, Raised: []facts.Raised{c.raised},
			LeastProgressed: &progress.LeastProgressed{Ranks: set(1, 2), Reasons: because(progress.AwaitedBy, set(0))}}
		r := of(d)
		if got := exceptionLines(r); len(got) != 1 || got[0] != c.line {
			t.Errorf("%s: %q, want %q", name, got, c.line)
		}
		if want := "ultimately awaited by rank 0; " + c.line; r.LeastProgressed.Reason != want {
			t.Errorf("%s: the reason is %q, want %q", name, r.LeastProgressed.Reason, want)
		}
		d.Size = 1 // all have it
		r = of(d)
		checktest.Equal(t, "ultimately awaited by rank 0", r.LeastProgressed.Reason, name, "an exception that all have is in the reason")
	}
}
