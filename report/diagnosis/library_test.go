package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"laggard/analysis/known"
	"laggard/analysis/progress"
	"laggard/analysis/progress/inside"
	"laggard/analysis/usage/finding"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report"
	"laggard/report/usage"
	"laggard/symbol"
)

// TestLibrary: stacks inside the library are folded, and the hang is compared with the
// issues; of another hang nothing is said.
func TestLibrary(t *testing.T) {
	at := func(ranks string, frames ...model.Frame) inside.Stack {
		set, _ := model.ParseRankSet(ranks)
		return inside.Stack{Frames: frames, Ranks: set}
	}
	var names symbol.Names
	poll := names.NewFrame("/usr/lib/mca_btl_vader.so", []symbol.NamedCall{{Function: "vader_progress"}})
	again := names.NewFrame("/usr/lib/mca_btl_vader.so", []symbol.NamedCall{{Function: "vader_progress"}})
	other := names.NewFrame("/usr/lib/libopen-pal.so", []symbol.NamedCall{{Function: "opal_progress"}})
	dir := t.TempDir()
	musttest.Succeed(t, names.Write(dir))
	resolver := symbol.New(symbol.Config{RunDir: dir})
	defer resolver.Close()
	table := known.Table{{Title: "a title", Reference: "https://x/1", MPI: "openmpi", Versions: []string{"4.1"},
		Calls: []string{"MPI_Barrier"}, Frames: []string{"vader"}, Workaround: "a way round"}}
	all := model.NewRankSet(0, 1, 2, 3)
	s := Source{Resolver: resolver, Result: &progress.Result{
		Diagnosis: progress.Diagnosis{
			Hang: true, Size: 4, Groups: []progress.Group{{Ranks: all, Call: "MPI_Barrier", Least: true}},
			LeastProgressed: &progress.LeastProgressed{Ranks: all, Cause: progress.CauseLibrary},
		},
		Inside: inside.View{
			Libraries: []inside.Library{{Family: "openmpi", Version: "Open MPI v4.1.4, package: x"}},
			Stacks:    []inside.Stack{at("0", other), at("1-2", poll, other), at("3", again, other)},
		},
	}}
	l := s.newLibrary()
	AddKnownIssues(&Result{Library: l}, table)
	if l == nil || len(l.Stacks) != 2 || l.Stacks[0].Ranks != "1-3" ||
		!slices.Equal(l.Transport, []string{"mca_btl_vader.so"}) || len(l.Known) != 1 {
		t.Fatalf("got %+v", l)
	}
	p := &printer{}
	p.libraryStacks(&Result{Library: l})
	p.knownIssues(&Result{Library: l})
	const want = `
Inside the library (Open MPI v4.1.4), over mca_btl_vader.so:
  ranks 1-3: vader_progress < opal_progress
  rank 0: opal_progress

This looks like a known issue (version 4.1.4; all ranks are in MPI_Barrier; inside vader_progress):
  a title
  https://x/1
  Try: a way round
`
	checktest.Equal(t, want, p.String())
	s.Inside.Libraries = append(s.Inside.Libraries, inside.Library{Family: "openmpi", Version: "Open MPI v4.0.1"})
	l = s.newLibrary()
	if AddKnownIssues(&Result{Library: l}, table); len(l.Known) != 0 {
		t.Errorf("ranks of several versions: %v", l.Known)
	}
	s.LeastProgressed.Cause = progress.CauseDeadlock
	if l := s.newLibrary(); l != nil {
		t.Errorf("a deadlock: %+v", l)
	}
}

// TestExplain: the finding is shown in the words of its own report, unless it is
// to be ignored.
func TestExplain(t *testing.T) {
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	f := finding.New("deadlock", "ranks 0 and 1 wait for each other", finding.Place{Rank: 0, Call: "MPI_Recv"},
		finding.Place{Rank: 1, Call: "MPI_Recv"})
	r := &Result{Hang: true, Groups: []Group{{Ranks: "0-3"}}}
	Explain(r, Hanging(r), []finding.Finding{f}, usage.Source{Resolver: resolver})
	p := &printer{}
	p.explainingFinding(r)
	const begin = "\nWrong use of MPI explains this hang: deadlock: ranks 0 and 1 wait for each other\n" +
		"  error, ranks 0-1, "
	if text := p.String(); !strings.HasPrefix(text, begin) {
		t.Errorf("got %s", text)
	}
	r.Explained = nil
	ignoring := usage.Source{Resolver: resolver, Ignore: []finding.Ignore{{Class: "deadlock"}}}
	Explain(r, Hanging(r), []finding.Finding{f}, ignoring)
	if r.Explained != nil {
		t.Error("an ignored finding explains the hang")
	}
	r.Hang = false
	Explain(r, Hanging(r), []finding.Finding{f}, usage.Source{Resolver: resolver})
	if r.Explained != nil {
		t.Error("a finding explains a hang that is none")
	}
}

// TestLibraryNote: the result says of which ranks no frame is in the program's own code.
func TestLibraryNote(t *testing.T) {
	own, library, wrapper := report.Frame{}, report.Frame{Library: true}, report.Frame{Wrapper: true}
	at := func(ranks string, stack ...report.Frame) Location { return Location{Ranks: ranks, Stack: stack} }
	for want, places := range map[string][]Location{
		"": {at("0", library, own), at("1"), at("2", own)},
		"ranks 1,3-4: no frame is in the program's own code, so the place is in a library (setting symbols.library)": {
			at("0", own, library), at("1", library, wrapper), at("2"), at("3-4", library)},
	} {
		l := LeastProgressed{Locations: places}
		checktest.Equal(t, want, l.libraryNote())
	}
}
