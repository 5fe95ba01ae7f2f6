package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline"
	"laggard/analysis/timeline/timelinetest"
	"laggard/internal/golden"
	"laggard/model"
	"laggard/reduce"
	"laggard/report"
)

// made is the timeline of a job of four ranks, one of which is slow, one stopped for a while and one short of a processor.
func made(t *testing.T, columns int) *Timeline {
	t.Helper()
	job := timelinetest.Job{Ranks: 4, PerNode: 2, Length: 10 * time.Minute, Do: func(rank int, at time.Duration) timelinetest.Doing {
		d := timelinetest.Doing{Computing: 0.7, WaitsFor: -1, Rate: 4}
		if at >= 6*time.Minute {
			d.Rate, d.Computing, d.WaitsFor = 2.5, 0.3, 3
			if rank == 3 {
				d.Computing, d.WaitsFor = 0.98, -1
			}
		}
		if rank == 1 && at >= 2*time.Minute && at < 3*time.Minute {
			d.IO, d.Computing = 0.8, 0.1
		}
		d.Stopped = rank == 2 && at >= 4*time.Minute && at < 5*time.Minute
		if rank == 0 && at < time.Minute {
			d.Starved = 0.7
		}
		return d
	}}
	dir := filepath.Join(t.TempDir(), "run")
	if err := job.Write(dir); err != nil {
		t.Fatal(err)
	}
	var result *timeline.Result
	if err := reduce.Run(1, func(c reduce.Comm) (err error) {
		result, err = timeline.Run(context.Background(), timeline.Question{Dir: dir, Columns: columns, Rows: 100}, c)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	begin := timelinetest.End.Add(-4 * time.Minute)
	site := func(*model.State) report.Site { return report.Site{Function: "main", File: "src/a<b.c", Line: 7} }
	out := New(Source{Result: result, Site: site, Events: []slowness.Event{{
		Kind: slowness.Slowdown, Begin: begin, Noticed: begin.Add(30 * time.Second), Cause: slowness.RankComputes,
		Ranks: model.NewRankSet(3), Hosts: []string{"node002"}, ComputingRatio: 1.6, Rate: slowness.Rate{Now: 2.5, Before: 4},
		Confidence: 0.97,
	}}})
	out.Run.Dir = "run"
	return out
}

func TestForms(t *testing.T) {
	for _, form := range []struct {
		name    string
		columns int
		write   func(io.Writer, *Timeline) error
	}{
		{"timeline.txt", 62, Text}, {"timeline.html", 62, HTML}, {"trace.json", 30, Perfetto},
		{"timeline.json", 12, func(w io.Writer, t *Timeline) error { return report.JSON(w, t) }},
	} {
		var b bytes.Buffer
		if err := form.write(&b, made(t, form.columns)); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, form.name, b.Bytes())
	}
}

// The trace has what the Trace Event Format asks for, and slices of one thread do not overlap.
func TestTrace(t *testing.T) {
	var b bytes.Buffer
	if err := Perfetto(&b, made(t, 100)); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		Events []struct {
			Name, Ph          string
			Ts, Dur, Pid, Tid int64
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	ends, kinds := map[[2]int64]int64{}, map[string]int{}
	for _, e := range trace.Events {
		kinds[e.Ph]++
		if e.Ph != "X" {
			continue
		}
		thread := [2]int64{e.Pid, e.Tid}
		if e.Dur <= 0 || e.Ts < ends[thread] {
			t.Errorf("%+v begins before %d", e, ends[thread])
		}
		ends[thread] = e.Ts + e.Dur
	}
	if len(ends) != 4 || kinds["C"] == 0 || kinds["i"] != 1 || kinds["M"] < 7 {
		t.Errorf("%d threads, %v", len(ends), kinds)
	}
}

// The page of a day of 1,024 ranks stays small.
func TestLargePage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	job := timelinetest.Day(1024)
	job.Length = 3 * time.Hour
	if err := job.Write(dir); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := reduce.Run(2, func(c reduce.Comm) error {
		r, err := timeline.Run(context.Background(), timeline.Question{Dir: dir, Columns: 400, Rows: 100}, c)
		if err != nil || r == nil {
			return err
		}
		return HTML(&b, New(Source{Result: r, Site: func(*model.State) report.Site { return report.Site{Function: "main"} }}))
	}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 2<<20 {
		t.Errorf("%d bytes", b.Len())
	}
}
