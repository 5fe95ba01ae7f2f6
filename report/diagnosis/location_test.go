package diagnosis

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/report"
	"laggard/symbol"
)

// TestCutStack: where a captured stack ends in a library, the stack of the MPI call leads on to the program's own code.
func TestCutStack(t *testing.T) {
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	in := func(path string) model.Frame {
		return model.Frame{Module: &model.Module{Path: path, BuildID: "ab"}, Offset: 0x1000}
	}
	own, library := in("/home/ana/solve"), in("/lib/x86_64-linux-gnu/libucs.so.0")
	for name, c := range map[string]struct {
		captured []model.Frame
		frames   int
	}{"cut": {[]model.Frame{library}, 2}, "whole": {[]model.Frame{library, own}, 2}} {
		l := Source{Resolver: resolver}.newLocation(progress.Location{
			Ranks: model.NewRankSet(1), Call: "MPI_Recv", Stack: c.captured, Captured: true, CallStack: []model.Frame{own},
		})
		if len(l.Stack) != c.frames || l.Site.Code == "" || l.Stack[len(l.Stack)-1].Module != "/home/ana/solve" {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// TestUnrecordedCall: a rank in a call of the profiling interface, which the program made by that name, does not compute.
func TestUnrecordedCall(t *testing.T) {
	l := Location{Ranks: "0", Captured: true, After: "MPI_Allreduce", Site: report.Site{Function: "rotate", File: "/a/ring.cc", Line: 80},
		Stack: []report.Frame{{Function: "rotate"}}}
	checktest.Equal(t, "computes in rotate (ring.cc:80), after MPI_Allreduce", activityText(l), "in the program")
	l.Stack = []report.Frame{{Function: "MPIDI_progress"}, {Function: "PMPI_Send"}, {Function: "wrap_send"}, {Function: "rotate"}}
	checktest.Equal(t, "is in PMPI_Send, a call that is not recorded, made by rotate (ring.cc:80)", activityText(l), "in a call")
}

// TestEndedInCall: of a rank that ended it is not said that it is in a call.
func TestEndedInCall(t *testing.T) {
	call := "MPI_Test"
	l := Location{Ranks: "0,2", InMPI: &call, Site: report.Site{Function: "main", File: "/a/gives_up.c", Line: 13}}
	checktest.Equal(t, "are in MPI_Test, called by main (gives_up.c:13)", activityText(l), "that live")
	l.Ended = true
	checktest.Equal(t, "were in MPI_Test, called by main (gives_up.c:13)", activityText(l), "that ended")
}
