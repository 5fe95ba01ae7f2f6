package diagnosis

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/model"
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
