package timeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline"
	"laggard/analysis/timeline/timelinetest"
	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/reduce"
	"laggard/report"
	"laggard/symbol"

	timelinereport "laggard/report/timeline"
)

// newResult is that of a job of four ranks, of which rank 2 is stopped in the last minute and rank 1 waits for it.
func newResult(t *testing.T) *timelinereport.Result {
	t.Helper()
	j := timelinetest.Job{Ranks: 4, PerNode: 2, Length: 5 * time.Minute, Do: func(rank int, at time.Duration) timelinetest.Doing {
		d := timelinetest.Doing{Computing: 0.8, WaitsFor: -1, Rate: 10, Stopped: rank == 2 && at > 4*time.Minute}
		if rank == 1 && at > 4*time.Minute {
			d.Computing, d.WaitsFor = 0, 2
		}
		return d
	}}
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, j.Write(dir))
	var found *timeline.Result
	err := reduce.Run(1, func(c reduce.Comm) (err error) {
		found, err = timeline.Run(context.Background(), timeline.Question{Dir: dir, Columns: 60, Rows: 10}, c)
		return err
	})
	musttest.Succeed(t, err)
	slow := &slowness.Result{Events: []slowness.Event{{Kind: slowness.Slowdown, Begin: timelinetest.End.Add(-time.Minute),
		Noticed: timelinetest.End, Cause: slowness.RankComputes, Ranks: model.NewRankSet(2), ComputingRatio: 2, Confidence: 0.9}}}
	run := report.Run{Dir: "run", Command: []string{}}
	return timelinereport.New(timelinereport.Source{Run: run, Found: found, Slow: slow, Resolver: symbol.New(symbol.Config{})})
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	musttest.Succeed(t, timelinereport.Text(&b, newResult(t)))
	text, _, _ := strings.Cut(b.String(), "\n\n"+timelinetest.End.Local().Format("15:04:05"))
	golden.Check(t, "timeline.txt", []byte(text+"\n"))
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestPerfetto: the trace is of the trace event format, the slices of a thread do not overlap, and all is there: a process for
// each host, a thread for each rank, counters, and the event.
func TestPerfetto(t *testing.T) {
	var b bytes.Buffer
	musttest.Succeed(t, timelinereport.Perfetto(&b, newResult(t)))
	var trace struct {
		TraceEvents []struct {
			Ph, Name, S       string
			Pid, Tid, Ts, Dur int64
			Args              map[string]any
		}
	}
	musttest.Succeed(t, json.Unmarshal(b.Bytes(), &trace))
	phases, ends, names := map[string]int{}, map[int64]int64{}, map[string]bool{}
	for _, e := range trace.TraceEvents {
		phases[e.Ph]++
		names[e.Name] = true
		if e.Ph == "X" {
			if e.Dur <= 0 || e.Ts < ends[e.Tid] {
				t.Errorf("a slice from %d for %d behind one that ends at %d", e.Ts, e.Dur, ends[e.Tid])
			}
			ends[e.Tid] = e.Ts + e.Dur
		}
	}
	if phases["M"] != 3+4 || phases["i"] != 1 || phases["C"] != 30*6 || len(ends) != 4 {
		t.Errorf("events %v, %d threads with slices", phases, len(ends))
	}
	if !names["no samples (stopped)"] || !names["waiting in MPI_Sendrecv at steps+0x100 for rank 2"] {
		t.Errorf("names %v", names)
	}
}

func TestHTML(t *testing.T) {
	var b bytes.Buffer
	musttest.Succeed(t, timelinereport.HTML(&b, newResult(t)))
	checktest.Contains(t, b.String(), "<noscript><pre>run: 4 ranks", `id="data"`, "Timeline of 4 ranks")
}
