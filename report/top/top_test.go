package top

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"

	"laggard/analysis/slowness"
	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report"
)

// start is when the samples of the tests begin.
var start = time.Date(2026, 11, 28, 2, 20, 0, 0, time.UTC)

var (
	relax    = &model.State{ID: model.StateID{1}, Call: "MPI_Sendrecv"}
	residual = &model.State{ID: model.StateID{2}, Call: "MPI_Allreduce"}
)

// siteOf names the places of the tests.
func siteOf(s *model.State) report.Site {
	if s == relax {
		return report.Site{Function: "exchange", File: "src/halo.c", Line: 41}
	}
	return report.Site{Function: "residual", File: "src/solver.c", Line: 207}
}

// result is of a job that computes on so many ranks; those of slow compute three times as long since 300 s after the start.
func result(ranks int, slow ...int) *slowness.Result {
	r := &slowness.Result{
		Begin: start, End: start.Add(10 * time.Minute), Size: ranks, Rate: slowness.Rate{Now: 12.4, Before: 12.4},
		Compared: 10 * time.Minute,
	}
	set := model.NewRankSet(slow...)
	for rank := range ranks {
		k := slowness.RankSpeed{
			Rank: rank, Host: fmt.Sprintf("n%04d", rank/128), Latest: r.End, Rate: slowness.Rate{Now: 12.4, Before: 12.4},
			Now: slowness.Shares{Computing: 0.84, Waiting: 0.16}, Before: slowness.Shares{Computing: 0.85, Waiting: 0.15},
			ComputingRatio: 1 + float64(rank%7)/100, Place: relax, WaitsFor: -1,
		}
		switch {
		case set.Contains(rank):
			k.ComputingRatio, k.Now = 3.02, slowness.Shares{Computing: 0.97, Waiting: 0.03}
		case set.Len() > 0:
			k.Now, k.Place, k.InMPI, k.WaitsFor = slowness.Shares{Computing: 0.29, Waiting: 0.71}, residual, true, set.Min()
		}
		r.Sampled.Add(rank)
		r.Ranks = append(r.Ranks, k)
	}
	if set.Len() > 0 {
		r.Rate.Now = 4.3
		for i := range r.Ranks {
			r.Ranks[i].Rate.Now = r.Rate.Now // ranks that wait for one another are equally fast
		}
		r.Events = append(r.Events, slowness.Event{
			Kind: slowness.Slowdown, Begin: start.Add(5 * time.Minute), Noticed: start.Add(5*time.Minute + 20*time.Second),
			Cause: slowness.RankComputes, Ranks: set, Hosts: []string{"n0000"}, ComputingRatio: 3.02, Rate: r.Rate,
			Place: relax, Confidence: 0.93,
		})
	}
	return r
}

func snapshot(r *slowness.Result) *Snapshot {
	run := report.Run{Command: []string{"mpirun", "-np", "16", "./app"}, Job: "slurm 4711"}
	return New(Source{Run: run, Result: r, Life: Running, Site: siteOf})
}

// mixed is a job whose ranks do different things.
func mixed() *slowness.Result {
	r := result(24)
	r.Ranks[3].Now = slowness.Shares{IO: 0.9, Waiting: 0.1}
	r.Ranks[4].Now = slowness.Shares{Computing: 0.9, Waiting: 0.1, Starved: 0.7}
	r.Ranks[5].Latest = r.End.Add(-time.Minute)
	r.Ranks[6].Place = nil
	r.Ranks[7].Host = "a-host-with-a-long-name-\x1b[2J"
	r.Ranks = append(r.Ranks[:9], r.Ranks[10:]...) // rank 9 has no samples
	r.Imbalance = &slowness.Imbalance{Cost: 0.23, Sites: []slowness.ImbalancedSite{
		{State: relax, Cost: 0.2, Most: model.NewRankSet(4, 5, 6), Mean: 0.5, Longest: 0.7}}}
	return r
}

// TestScreens: each screen is what the golden file shows.
func TestScreens(t *testing.T) {
	slow, wide := View{Width: 80, Height: 24, Order: BySlowest, Selected: -1}, View{Width: 200, Height: 50, Order: BySlowest, Selected: -1}
	ended := New(Source{Run: report.Run{Dir: "run"}, Result: result(16, 11), Life: Ended, Site: siteOf,
		Explanation: "The job ended at 02:30:01 UTC; this is its last state."})
	help, rank, typed := slow, slow, slow
	help.Help, rank.Order, rank.Selected, typed.Typed = true, ByRank, 15, "123"
	shared := result(4)
	shared.Imbalance = &slowness.Imbalance{Cost: 0.24, Starved: model.NewRankSet(1, 2), StarvedShare: 0.49, Sites: mixed().Imbalance.Sites}
	none := New(Source{Run: report.Run{Dir: "run"}, Result: new(slowness.Result), Life: Unsampled,
		Explanation: "There are no samples: why, and what to do."})
	pipe := View{Width: 80, Height: 40, Order: BySlowest, Selected: -1, NoKeys: true}
	for _, c := range []struct {
		name string
		s    *Snapshot
		v    View
	}{
		{"slow-80x24", snapshot(result(16, 11)), slow},
		{"slow-200x50", snapshot(result(16, 11)), wide},
		{"well-80x24", snapshot(result(16)), slow},
		{"mixed-80x24", snapshot(mixed()), slow},
		{"mixed-200x50", snapshot(mixed()), wide},
		{"large-80x24", snapshot(result(32768, 100, 20000)), slow},
		{"large-200x50", snapshot(result(32768, 100, 20000)), wide},
		{"shared-80x24", snapshot(shared), slow},
		{"ended-80x24", ended, slow},
		{"none-80x24", none, slow},
		{"rank-80x24", snapshot(result(16, 11)), rank},
		{"help-80x24", snapshot(result(16, 11)), help},
		{"typed-80x24", snapshot(result(16, 11)), typed},
		{"pipe", snapshot(result(16, 11)), pipe},
	} {
		golden.Check(t, c.name+".golden", []byte(c.s.Text(c.v)))
	}
}

// TestDetail: a rank alone.
func TestDetail(t *testing.T) {
	d := &Detail{
		Rank: 11, PID: 4711, Host: "n0000", Call: "MPI_Sendrecv", Quiet: start.Add(9 * time.Minute), Taken: start.Add(9 * time.Minute),
		Stack: []report.Frame{{Function: "settle", File: "src/halo.c", Line: 32, Module: "/app"},
			{Function: "main", File: "src/main.c", Line: 66, Module: "/app"}},
	}
	for i := range 90 {
		d.Series = append(d.Series, model.Interval{
			Begin: start.Add(time.Duration(i) * time.Second), Step: time.Second, Samples: 10, Computing: i % 11, Waiting: 10 - i%11,
		})
	}
	v := View{Width: 80, Height: 24, Order: BySlowest, Selected: 11, Detail: true}
	var b strings.Builder
	for _, line := range snapshot(result(16, 11)).Draw(v, d) {
		b.WriteString(line.String() + "\n")
	}
	golden.Check(t, "detail-80x24.golden", []byte(b.String()))
}

// TestDrawFits: no screen has more lines than it is high, or lines wider than it is, whatever is shown.
func TestDrawFits(t *testing.T) {
	for _, s := range []*Snapshot{snapshot(mixed()), snapshot(result(1000, 3)), snapshot(new(slowness.Result))} {
		for width := 1; width < 230; width += 7 {
			for height := 1; height < 60; height += 5 {
				for mode := range 4 {
					v := View{Width: width, Height: height, Order: Orders[height%len(Orders)], Selected: 3*mode - 1,
						Detail: mode == 1, Help: mode == 2}
					lines := s.Draw(v, &Detail{Rank: v.Selected, Host: "h"})
					if len(lines) > height {
						t.Fatalf("%+v: %d lines", v, len(lines))
					}
					for _, line := range lines {
						if w := uniseg.StringWidth(line.String()); w > width {
							t.Fatalf("%+v: %d columns: %q", v, w, line.String())
						}
					}
				}
			}
		}
	}
}

// TestJSON: the JSON form.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	r := mixed()
	r.Ranks = r.Ranks[:4]
	r.Events = result(16, 2).Events
	musttest.Succeed(t, report.JSON(&b, snapshot(r)))
	golden.Check(t, "snapshot.json", b.Bytes())
	checktest.ErrorIs(t, nil, json.Unmarshal(b.Bytes(), new(Snapshot)))
}

// TestPress: what keys do.
func TestPress(t *testing.T) {
	s := snapshot(result(16, 11))
	v := View{Width: 80, Height: 24, Order: BySlowest, Selected: -1}
	for _, c := range []struct {
		keys     string
		selected int
		detail   bool
		order    Order
	}{
		{"", -1, false, BySlowest},
		{"j", 11, false, BySlowest},
		{"jj", 0, false, BySlowest},
		{"k", 11, false, BySlowest},
		{"s", -1, false, ByRank},
		{"sjjj", 2, false, ByRank},
		{"sG", 15, false, ByRank},
		{"sfg", 0, false, ByRank},
		{"12\n", 12, false, BySlowest},
		{"12\n\n", 12, true, BySlowest},
		{"99\n", -1, false, BySlowest},
		{"12\n\n\x1b", 12, false, BySlowest},
		{"12\n\n\x1b\x1b", -1, false, BySlowest},
		{"1\x1b\n", -1, false, BySlowest},
		{"hj", -1, false, BySlowest},
		{"\n", -1, false, BySlowest},
		{"sssssss", -1, false, BySlowest},
	} {
		got := v
		for _, key := range c.keys {
			got = got.Press(Key(key), s)
		}
		if got.Selected != c.selected || got.Detail != c.detail || got.Order != c.order {
			t.Errorf("after %q: %+v", c.keys, got)
		}
	}
}

// The headline claims no more than the samples can show.
func TestHeadlineOfNoChange(t *testing.T) {
	for _, c := range []struct {
		compared time.Duration
		rate     float64
		ranks    float64
		sampled  time.Duration
		want     string
	}{
		{10 * time.Minute, 12.4, 12.4, 10 * time.Minute, "No change of speed was noticed in 10 min 0 s."},
		{0, 12.4, 12.4, time.Minute, "It is too early to notice a change of speed."},
		{0, 0, 0, time.Minute, "No iterations are recognised: a change of speed would not be noticed."},
		{0, 0, 0, 5 * time.Second, "It is too early to notice a change of speed."},
		{0, 0, 5, 21 * time.Second, "It is too early to notice a change of speed."},
	} {
		r := result(4)
		r.Compared, r.Rate.Now, r.Begin = c.compared, c.rate, r.End.Add(-c.sampled)
		for i := range r.Ranks {
			r.Ranks[i].Rate.Now = c.ranks
		}
		checktest.Equal(t, c.want, snapshot(r).headline())
	}
}

// TestStandstill: ranks that poll on shared processors wait, and that no rank gets on is what there is to say.
func TestStandstill(t *testing.T) {
	r := result(2)
	for i := range r.Ranks {
		r.Ranks[i].Now = slowness.Shares{Waiting: 1, Starved: 0.59}
	}
	s := New(Source{Run: report.Run{Dir: "my run"}, Result: r, Life: Running, Site: siteOf, Quiet: 17 * time.Second})
	checktest.Equal(t, "No rank has made progress for 17 s; see laggard diagnose 'my run'", s.headline())
	checktest.Equal(t, Waiting, s.Speeds[0].Doing)
	for i := range r.Ranks {
		r.Ranks[i].Now = slowness.Shares{Computing: 0.9, Starved: 0.59}
	}
	s = New(Source{Result: r, Life: Running, Site: siteOf, Quiet: 17 * time.Second})
	checktest.Equal(t, "No change of speed was noticed in 10 min 0 s.", s.headline())
	checktest.Equal(t, Starved, s.Speeds[0].Doing)
}

// TestUnknownShares: what ranks do is not known before it was looked at, which is no 0 %.
func TestUnknownShares(t *testing.T) {
	r := result(2)
	for i := range r.Ranks {
		r.Ranks[i].Now = slowness.Shares{}
	}
	got := snapshot(r).Text(View{Width: 80, Height: 24, Order: ByRank, Selected: -1, NoKeys: true})
	for _, want := range []string{"12.4 iterations/s  computing -  waiting -\n", "  1.00    -    -    -      - after"} {
		if !strings.Contains(got, want) || strings.Contains(got, "0%") {
			t.Errorf("no %q, or a share, in\n%s", want, got)
		}
	}
}
