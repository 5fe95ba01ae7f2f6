package usage

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report"
	"laggard/report/source"
	"laggard/symbol"
)

const wrongUse = `
0-1: MPI_Init()
0: MPI_Send(dest=7, count=-1) -> error 2 @ a.c:5
0: MPI_Irecv(source=1, tag=3) -> request=r @ a.c:6
0: MPI_Comm_dup() -> newcomm=c @ a.c:7
0: MPI_Comm_dup() -> newcomm=d @ a.c:7
1: MPI_Comm_dup() -> newcomm=c @ a.c:7
1: MPI_Irecv(source=0, buf=0x1000) -> request=a @ b.c:3
1: MPI_Irecv(source=0, buf=0x1002) -> request=b @ b.c:4
1: MPI_Waitall(array_of_requests=[a,b])
0-1: MPI_Finalize()
`

// wrongUses are the findings of the transcript, in one file or another.
func wrongUses(t *testing.T, ignore ...finding.Ignore) Source {
	t.Helper()
	traces := musttest.Get(usagetest.Parse(wrongUse))(t)
	found := finding.NewGroup()
	for _, trace := range traces {
		found.Merge(finding.NewGroup(replay.Run(trace, between.NewDigester(trace)).Findings...))
	}
	resolver := symbol.New(symbol.Config{})
	t.Cleanup(func() { resolver.Close() })
	return Source{
		Run: report.Run{Dir: "run-<1>", Command: []string{"mpirun", "./a&b"}}, Ranks: 2, Findings: found.WorstFirst(),
		Ignore: ignore, Resolver: resolver,
	}
}

// TestUsageGoldens compares each form of the findings; -update writes them.
func TestUsageGoldens(t *testing.T) {
	all := New(wrongUses(t))
	json := func(w io.Writer, r *Result) error { return report.JSON(w, r) }
	less := wrongUses(t, finding.Ignore{Class: "leak"}, finding.Ignore{Class: "lost_request"})
	less.Incomplete = []string{"rank 1: thread 0: 3 chunks \x1b[31m are missing"}
	none := Source{Run: report.Run{Dir: "run", Command: []string{}}, Ranks: 1}
	for _, c := range []struct {
		name  string
		usage *Result
		form  func(io.Writer, *Result) error
	}{
		{"all.txt", all, Text}, {"all.json", all, json}, {"all.html", all, HTML},
		{"less.txt", New(less), Text}, {"none.txt", New(none), Text}, {"none.json", New(none), json},
	} {
		var b bytes.Buffer
		musttest.Succeed(t, c.form(&b, c.usage))
		golden.Check(t, c.name+".golden", b.Bytes())
	}
}

// What a run directory says cannot become code of the page.
func TestUsagePageEscapes(t *testing.T) {
	u := New(Source{Run: report.Run{Dir: "<script>x</script>"}, Incomplete: []string{"<img src=x onerror=y>"}})
	u.Findings = append(u.Findings, Finding{
		Class: "leak", Severity: "warning", Ranks: "0", Message: "</section><script>", Change: `"><b>`,
		Locations: []Location{{MPI: "<i>", Role: "<u>", Site: report.Site{Function: "f<int>", File: "a.c", Line: 2}}},
		Excerpts: []source.Excerpt{{File: "a.c", First: 1,
			Text: []string{"if (a < b && c > d)", `puts("</code><script>");`}}},
	})
	var b bytes.Buffer
	musttest.Succeed(t, HTML(&b, u))
	page := b.String()
	for _, bad := range []string{"<script", "<img", "<b>", "<i>", "<u>", "f<int>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if !strings.Contains(page, `<div class="called"><span class="number">2</span>`) {
		t.Error("the line of the call is not marked")
	}
}

// Findings that differ only in who called whom further out are shown as one, with the callers.
func TestUsageShowsAlikeOnce(t *testing.T) {
	u := New(Source{Run: report.Run{Dir: "run"}, Ranks: 8})
	stacks := [][]string{{"halo", "cg", "main"}, {"halo", "smooth", "mg", "main"}, {"halo", "smooth"}}
	for rank, callers := range stacks {
		f := Finding{Class: "leak", Severity: "warning", Message: "lost", Count: 2}
		f.found.Ranks = model.NewRankSet(rank, 5)
		l := Location{Rank: rank, MPI: "MPI_Irecv", Site: report.Site{Function: "halo", File: "halo.c", Line: 3}}
		for i, c := range callers {
			l.Stack = append(l.Stack, report.Frame{Function: c, File: "/src/" + c + ".c", Line: 3 + i})
		}
		f.Ranks, f.Locations = f.found.Ranks.String(), []Location{l}
		u.Findings = append(u.Findings, f)
	}
	u.Findings = append(u.Findings, u.Findings[0])
	u.Findings[3].Message = "lost too"
	shown := u.mergedFindings()
	if len(shown) != 2 || len(u.Findings) != 4 || shown[0].Count != 6 || shown[0].Ranks != "0-2,5" ||
		waysText(shown[0]) != "cg (cg.c:4), smooth (smooth.c:4)" || len(shown[1].Ways) != 0 {
		t.Errorf("%+v", shown)
	}
	if got := waysText(Finding{Ways: []string{"a", "b", "c", "d", "e"}}); got != "a, b, c and 2 more" {
		t.Error(got)
	}
}
