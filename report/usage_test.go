package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
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
func wrongUses(t *testing.T, ignore ...usage.Ignore) UsageSource {
	t.Helper()
	traces, err := usagetest.Parse(wrongUse)
	if err != nil {
		t.Fatal(err)
	}
	found := usage.NewGroup()
	for _, trace := range traces {
		found.Merge(usage.NewGroup(usage.Replay(trace).Findings...))
	}
	resolver := symbol.New(symbol.Config{})
	t.Cleanup(func() { resolver.Close() })
	return UsageSource{
		Run: Run{Dir: "run-<1>", Command: []string{"mpirun", "./a&b"}}, Ranks: 2, Findings: found.List(), Ignore: ignore, Resolver: resolver,
	}
}

// TestUsageGoldens compares each form of the findings; -update writes them.
func TestUsageGoldens(t *testing.T) {
	all := NewUsage(wrongUses(t))
	less := wrongUses(t, usage.Ignore{Class: "leak"}, usage.Ignore{Class: "lost_request"})
	less.Incomplete = []string{"rank 1: thread 0: 3 chunks \x1b[31m are missing"}
	none := UsageSource{Run: Run{Dir: "run"}, Ranks: 1}
	for _, c := range []struct {
		name  string
		usage *Usage
		form  func(io.Writer, *Usage) error
	}{
		{"all.txt", all, UsageText}, {"all.json", all, UsageJSON}, {"all.html", all, UsageHTML},
		{"less.txt", NewUsage(less), UsageText}, {"none.txt", NewUsage(none), UsageText}, {"none.json", NewUsage(none), UsageJSON},
	} {
		var b bytes.Buffer
		if err := c.form(&b, c.usage); err != nil {
			t.Fatal(err)
		}
		golden(t, "usage-"+c.name, b.Bytes())
	}
}

// What a run directory says cannot become code of the page.
func TestUsagePageEscapes(t *testing.T) {
	u := NewUsage(UsageSource{Run: Run{Dir: "<script>x</script>"}, Incomplete: []string{"<img src=x onerror=y>"}})
	u.Findings = append(u.Findings, UsageFinding{
		Class: "leak", Severity: "warning", Ranks: "0", Message: "</section><script>", Change: `"><b>`,
		Locations: []UsageLocation{{MPI: "<i>", Role: "<u>", Function: "f<int>", File: "a.c", Line: 2}},
		Excerpts:  []Excerpt{{File: "a.c", First: 1, Text: []string{"if (a < b && c > d)", `puts("</code><script>");`}}},
	})
	var b bytes.Buffer
	if err := UsageHTML(&b, u); err != nil {
		t.Fatal(err)
	}
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
