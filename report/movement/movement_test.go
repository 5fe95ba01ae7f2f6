package movement

import (
	"strings"
	"testing"

	"laggard/analysis/movement"
	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
	"laggard/analysis/movement/recorded"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report"
	"laggard/symbol"
)

// brokenChains is a run whose rank 2 now and then skips a copy, and whose module
// has a hostile name.
func brokenChains(t *testing.T) *Result { return resultOf(t, movement.Options{}, "aa", 2) }

// resultOf is what is said of the run of a build one rank of which now and then skips a copy; -1: none does.
func resultOf(t *testing.T, opts movement.Options, build string, skips int) *Result {
	t.Helper()
	trace, book := ringTrace(t, build, skips)
	resolver := symbol.New(symbol.Config{})
	t.Cleanup(resolver.Close)
	found := movement.Analyse(trace, opts)
	return New(report.Run{}, &movement.Result{Found: found, Trace: trace, Calls: movement.Calls(found, book, resolver)})
}

func ringTrace(t *testing.T, build string, skips int) (*chain.Trace, recorded.Book) {
	t.Helper()
	names := recorded.NewNamer(1, nil)
	app := &model.Module{BuildID: build, Path: "/tmp/<script>alert(1)</script>\x1b[2Japp"}
	site := func(p *chain.Parser, call string, offset uint64) int32 {
		return p.Site(names.Name(call, []model.Frame{{Module: app, Offset: offset}}))
	}
	var table chain.Table
	for rank := range 3 {
		p := chain.NewParser(rank)
		alloc, channel := site(p, "malloc", 0x10), p.Channel(chain.Channel{ID: 1, From: int32(rank), To: int32(rank)})
		add := func(e chain.Event) {
			musttest.Succeed(t, p.Add(&e))
		}
		for i := range 5 {
			add(chain.Event{Kind: chain.Alloc, Site: alloc, Dst: uint64(i+1) * 0x1000, Len: 64})
		}
		for i := range 60 {
			if rank != skips || i%20 != 10 {
				add(chain.Event{Kind: chain.Copy, Site: site(p, "memcpy", 0x20), Src: 0x1000, Dst: 0x2000, Len: 64})
			}
			add(chain.Event{Kind: chain.Copy, Site: site(p, "memcpy", 0x30), Src: 0x2000, Dst: 0x3000, Len: 64})
			add(chain.Event{Kind: chain.Send, Site: site(p, "MPI_Send", 0x40), Channel: channel, Seq: uint64(i) + 1,
				Src: 0x3000, Len: 64})
			add(chain.Event{Kind: chain.Recv, Site: site(p, "MPI_Recv", 0x50), Channel: channel, Seq: uint64(i) + 1,
				Dst: 0x4000, Len: 64})
			add(chain.Event{Kind: chain.Copy, Site: site(p, "memcpy", 0x60), Src: 0x4000, Dst: 0x5000, Len: 64})
		}
		part, err := p.Finish()
		if err == nil {
			table, err = chain.Merge(table, part)
		}
		musttest.Succeed(t, err)
	}
	return chain.Resolve(table), names.Book
}

// TestGoodRuns: what no good run has is told, and that good runs of another build tell nothing.
func TestGoodRuns(t *testing.T) {
	trace, _ := ringTrace(t, "aa", -1)
	good := profile.New(trace)
	for _, c := range []struct {
		build      string
		skips      int
		comparable bool
		headline   string
	}{
		{"aa", -1, true, "No unusual data movement: 180 chains, of 1 kind"},
		{"aa", 2, true, "1 rare chain closely resembles a common one; 1 kind of chains (3 of 180 chains) is in no good run"},
		{"bb", -1, false, "The good runs tell little of this one: 100.0 % of its chains are in none of them"},
	} {
		m := resultOf(t, movement.Options{Training: &good}, c.build, c.skips)
		if got := headline(m); got != c.headline || m.Comparable() != c.comparable {
			t.Errorf("build %s, rank %d skips: %q, comparable: %v", c.build, c.skips, got, m.Comparable())
		}
	}
}

func TestMovementForms(t *testing.T) {
	m := brokenChains(t)
	if len(m.Violations) == 0 || m.Violations[0].Ranks != "2" || m.Violations[0].Instances != 3 ||
		len(m.Violations[0].Missing) != 1 {
		t.Fatalf("%+v", m.Violations)
	}
	var text, page, data strings.Builder
	for _, err := range []error{Text(&text, m), HTML(&page, m), report.JSON(&data, m)} {
		musttest.Succeed(t, err)
	}
	for form, s := range map[string]string{"text": text.String(), "page": page.String(), "json": data.String()} {
		if strings.Contains(s, "\x1b") {
			t.Errorf("the %s has a control character", form)
		}
	}
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "ZgotmplZ") {
		t.Error("the page has a script, or what the template refused")
	}
	lost, kept := false, 0
	for line := range strings.Lines(text.String()) {
		lost = lost || strings.HasPrefix(line, "    -   ↓ memcpy in ") && strings.Contains(line, "0x20")
		if strings.HasPrefix(line, "        ↓ ") {
			kept++
		}
	}
	if !lost || kept < 3 {
		t.Errorf("the missing copy is not marked:\n%s", text.String())
	}
	checktest.Contains(t, page.String(), "Share of each kind of chain by rank", "Distance of each rank to its peers")
}

// TestUnreceived: a message that was not received is told, and is not rounded away.
func TestUnreceived(t *testing.T) {
	m := resultOf(t, movement.Options{}, "aa", -1)
	m.Links = Links{Sends: 12001, LinkedSends: 12000}
	send := &Place{Call: "MPI_Send", Site: report.Site{Function: "main", File: "a.c", Line: 14}}
	m.Unreceived = []Unreceived{{At: send, From: 2, To: 3, Tag: 8, Count: 1}}
	var b strings.Builder
	musttest.Succeed(t, Text(&b, m))
	checktest.Contains(t, b.String(), "1 message was not received\n", "of 12001 sends, 99.9 % were matched",
		"not received: 1 message from rank 2 to rank 3 with tag 8, by MPI_Send in main (a.c:14)\n")
}

// TestRarity: a chain that is nearly as frequent as the usual one is not rare, and the same moment is no second example.
func TestRarity(t *testing.T) {
	m := brokenChains(t)
	var b strings.Builder
	musttest.Succeed(t, Text(&b, m))
	checktest.Contains(t, b.String(), "1 rare chain closely resembles", "A rare chain, 3 times",
		"no good run to compare with (--train): this may be normal for the program\n")
	v := &m.Violations[0]
	v.Chain.Count, m.Training = 60, 1
	v.Examples = []Example{{Rank: 0, Event: 51, UnixNS: 1e9}, {Rank: 0, Event: 52, UnixNS: 1e9}, {Rank: 1, Event: 3, UnixNS: 2e9}}
	b.Reset()
	musttest.Succeed(t, Text(&b, m))
	checktest.Contains(t, b.String(), "1 rarer chain closely resembles", "A rarer chain, 60 times",
		"    e.g. at rank 0, 00:00:01.000; rank 1, 00:00:02.000 UTC\n")
	if strings.Contains(b.String(), "may be normal") {
		t.Error("beside a good run it is not said that there is none")
	}
}
