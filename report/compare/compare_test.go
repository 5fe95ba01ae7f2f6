package compare

import (
	"strings"
	"testing"

	"laggard/analysis/compare"
	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/symbol"
)

// stackAt is a stack of one function.
func stackAt(function string, line int) []symbol.Location {
	return []symbol.Location{{Call: symbol.Call{Function: function, File: "/src/app.c", Line: line}, Module: "/bin/app"}}
}

// eachKind is a result with a difference of each kind.
func eachKind() *compare.Result {
	at := func(call string, good, bad int) compare.Place {
		p := compare.Place{Call: call}
		if good > 0 {
			p.Good = stackAt("step", good)
		}
		if bad > 0 {
			p.Bad = stackAt("step", bad)
		}
		return p
	}
	wait, sum := at("MPI_Waitall", 20, 22), at("MPI_Allreduce", 30, 33)
	one, some := model.NewRankSet(2), model.NewRankSet(0, 1, 3)
	return &compare.Result{
		Bad: &runfiles.Index{Dir: "bad"}, Good: []*runfiles.Index{{Dir: "good"}},
		Compared: compare.Compared{GoodRanks: 4, BadRanks: 4, Places: 9, Passages: 1, Messages: true},
		Notes:    []string{"the bad run was cut off: rank 2 in MPI_Recv"},
		Findings: []compare.Finding{
			{Kind: compare.NewPlace, Ranks: one, At: at("MPI_Barrier", 0, 25), After: &wait, Bad: 1},
			{Kind: compare.NewPlace, Ranks: some, At: at("MPI_Reduce", 0, 33), Next: &sum, Bad: 5},
			{Kind: compare.MissingPlace, Ranks: some, At: at("MPI_Isend", 15, 0), More: []compare.Place{wait}, Good: 60},
			{Kind: compare.SkippedPlace, Ranks: one, At: wait, More: []compare.Place{sum, sum}, After: &sum, Next: &sum, Bad: 7},
			{Kind: compare.OtherOrder, Ranks: some, At: wait, After: &sum, Next: &sum, Bad: 7, Good: 60},
			{Kind: compare.Iterations, Ranks: one, At: sum, Bad: 6.52, Good: 3},
			{Kind: compare.Iterations, Ranks: some, At: sum, Bad: 61, Good: 60, StillIn: true},
			{Kind: compare.BranchCount, Ranks: one, At: sum, After: &wait, Bad: 6, Good: 1},
			{Kind: compare.NewMessage, Ranks: one, At: sum, Bad: 1, BadIs: "to rank 3, tag 21", GoodIs: "tag 11"},
			{Kind: compare.NewMessage, Ranks: some, Bad: 2, BadIs: "from own rank + 1, tag 21"},
			{Kind: compare.MissingSend, Ranks: one, At: sum, Good: 1, BadIs: "to rank 3, tag 2"},
			{Kind: compare.MissingSend, Ranks: one, At: sum, Bad: 9, Good: 10, BadIs: "to rank 3, tag 3"},
			{Kind: compare.OtherComm, Ranks: one, At: sum, BadIs: "that of MPI_Comm_split in main", GoodIs: "MPI_COMM_WORLD"},
			{Kind: compare.OtherRoot, Ranks: one, At: sum, BadIs: "root 1", GoodIs: "root 0"},
			{Kind: compare.OtherOp, Ranks: one, At: sum, BadIs: "MPI_MAX", GoodIs: "MPI_SUM"},
			{Kind: compare.OtherSize, Ranks: one, At: sum, BadIs: "128 bytes", GoodIs: "256 bytes"},
			{Kind: compare.ReturnedError, Ranks: one, At: wait, Next: &sum, Bad: 2, BadIs: "MPI_ERR_TRUNCATE: \x1b[2J"},
		},
		Classes: []compare.Class{
			{Ranks: one, Findings: []int{0, 3, 5, 7, 8, 10, 11, 12, 13, 14, 15, 16}, First: 0},
			{Ranks: some, Findings: []int{1, 2, 4, 6, 9}, First: 4},
		},
		Shares: []compare.Share{
			{At: wait, Waiting: true, Bad: 0.61234, Good: 0.2}, {At: sum, Bad: 0.1, Good: 0.454},
		},
		BadCutOff: true,
		Problems:  []string{"a file is cut short"},
	}
}

// TestText: the words for each kind of difference, all of them and the first ones.
func TestText(t *testing.T) {
	for name, all := range map[string]bool{"all.txt": true, "first.txt": false} {
		var b strings.Builder
		musttest.Succeed(t, Text(&b, New(eachKind()), all))
		golden.Check(t, name, []byte(b.String()))
	}
}

// TestPage: the page for each kind of difference.
func TestPage(t *testing.T) {
	var b strings.Builder
	musttest.Succeed(t, HTML(&b, New(eachKind())))
	golden.Check(t, "all.html", []byte(b.String()))
}

// TestPageSides: each kind of difference says on both sides what was done, and no side is empty.
func TestPageSides(t *testing.T) {
	want := map[compare.Kind][2]string{
		compare.NewPlace:     {"MPI_Reduce in step (app.c:33)", "MPI_Allreduce in step (app.c:30)"},
		compare.MissingPlace: {"never", "MPI_Isend in step (app.c:15)"},
		compare.SkippedPlace: {"MPI_Allreduce in step (app.c:33)", "MPI_Waitall in step (app.c:20)"},
		compare.OtherOrder:   {"MPI_Waitall in step (app.c:22)", "MPI_Allreduce in step (app.c:30)"},
		compare.Iterations:   {"MPI_Allreduce in step (app.c:33): 61 times", "MPI_Allreduce in step (app.c:30): 60 times"},
		compare.BranchCount:  {"MPI_Allreduce in step (app.c:33): 6 times", "MPI_Allreduce in step (app.c:30): once"},
		compare.NewMessage:   {"a message from own rank + 1, tag 21", "never"},
		compare.MissingSend: {"MPI_Allreduce in step (app.c:33): 9 messages to rank 3, tag 3",
			"MPI_Allreduce in step (app.c:30): a message to rank 3, tag 3: 10"},
		compare.OtherRoot: {"MPI_Allreduce in step (app.c:33): root 1", "MPI_Allreduce in step (app.c:30): root 0"},
	}
	got := map[compare.Kind][2]string{}
	for _, d := range New(eachKind()).Differences {
		sides := newSides(d)
		if sides.Bad == "" || sides.Good == "" {
			t.Errorf("%s: a side is empty: %+v", d.Kind, sides)
		}
		got[compare.Kind(d.Kind)] = [2]string{sides.Bad, sides.Good} // the last of each kind
	}
	for kind, sides := range want {
		checktest.Equal(t, sides, got[kind], kind)
	}
}

// TestPageEscapes: nothing that a run directory says becomes markup or code.
func TestPageEscapes(t *testing.T) {
	r := New(eachKind())
	r.Bad.Dir, r.Good[0].Command = "<script>x</script>", []string{"<img src=x onerror=y>"}
	r.Differences[0].Text, r.Notes[0] = "</section><script>", "<b>"
	r.Differences[8].BadValue, r.Shares[0].At.Call = `"><i>`, "<u>"
	var b strings.Builder
	musttest.Succeed(t, HTML(&b, r))
	for _, markup := range []string{"<script", "<img", "<b>", "<i>", "<u>", " style="} {
		if strings.Contains(b.String(), markup) {
			t.Errorf("the page has %s", markup)
		}
	}
}

// TestNoDifference: one line says what was compared.
func TestNoDifference(t *testing.T) {
	var b strings.Builder
	r := New(&compare.Result{Bad: &runfiles.Index{}, Compared: compare.Compared{GoodRanks: 8, BadRanks: 4, Places: 3, Passages: 2}})
	musttest.Succeed(t, Text(&b, r, false))
	const want = "No difference found. Compared: 4 ranks of BAD with 8 ranks of GOOD: 3 call sites of MPI, 2 passages\n"
	checktest.Equal(t, want, b.String())
	r.CutOff = true
	checktest.Equal(t, "No difference found up to where BAD was cut off. Compared: "+r.Compared.String(), r.Headline())
}

// TestDoubt: it is said before the differences why the good run may be none.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		good, bad       bool
		known, badSites int
		want            string
	}{
		{false, true, 5, 10, ""},
		{true, false, 5, 10, "GOOD was cut off, and BAD was not: are the arguments in the right order?"},
		{true, true, 5, 10, "GOOD was cut off, too: what it had not come to counts as new in BAD"},
		{false, false, 4, 10, "only 4 of 10 call sites of BAD are in GOOD: are these runs of the same program?"},
	} {
		r := New(&compare.Result{Bad: &runfiles.Index{}, BadCutOff: c.bad, GoodCutOff: c.good,
			Compared: compare.Compared{BadPlaces: c.badSites, BadKnown: c.known}})
		checktest.Equal(t, c.want, r.doubt())
	}
}
