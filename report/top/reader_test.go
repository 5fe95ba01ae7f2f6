package top

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/symbol"
)

// switchedOff is how many seconds of samples a run has that takes none.
const switchedOff = -1

// writeRun makes a run directory of ranks on nodes of 128, with so many seconds of samples each, the last one now.
func writeRun(t testing.TB, ranks, seconds int) (dir string, end time.Time) {
	t.Helper()
	dir = t.TempDir()
	end = time.Now().UTC().Truncate(time.Second)
	m := &model.Manifest{
		SchemaVersion: 1, RunID: model.RunIDText(17), Created: end, Version: "test", Command: []string{"mpirun", "app"}, Ranks: ranks,
	}
	musttest.Succeed(t, runfiles.WriteManifest(dir, m))
	module := &model.Module{BuildID: "abcd", Path: "/app", Base: 1 << 20, Size: 1 << 20}
	state := &model.State{Call: "MPI_Allreduce", Stack: []model.Frame{{Module: module, Offset: 0x1234}}}
	for first := 0; first < ranks; first += 128 {
		var node []*model.Rank
		host := fmt.Sprintf("n%04d", first/128)
		for rank := first; rank < min(first+128, ranks); rank++ {
			k := &model.Rank{
				Rank: rank, Size: ranks, Host: host, PID: 1000 + rank, Start: end.Add(-time.Hour), Phase: model.Running, EndDetail: -1,
				ThreadLevel: -1, SampleHz: 10, Heartbeat: end, Modules: []*model.Module{module},
				Threads: []*model.Thread{{
					Model: model.Model{States: []*model.State{state}, Visits: []uint64{9000}}, Calls: 9000,
				}},
			}
			if seconds == switchedOff {
				k.SampleHz = 0
			}
			for i := seconds; i > 0; i-- {
				k.Series = append(k.Series, model.Interval{
					Begin: end.Add(-time.Duration(i) * time.Second), Step: time.Second, Samples: 10, Computing: 8, Waiting: 2,
					CPU: time.Second, Calls: 20, AtState: 10, Comm: -1, Peer: model.None, Turns: 10,
				})
			}
			node = append(node, k)
		}
		musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 17, Host: host}, node))(t)
	}
	return dir, end
}

// newReader is a Reader of a run directory as laggard top makes it.
func newReader(t testing.TB, dir string) *Reader {
	t.Helper()
	monitor := musttest.Get(slowness.NewMonitor(dir))(t)
	resolver := symbol.New(symbol.Config{})
	t.Cleanup(func() { monitor.Close(); resolver.Close() })
	return NewReader(dir, monitor, resolver)
}

// TestReader: a job is running while there are samples, and silent when they stop; a rank has its stack and history.
func TestReader(t *testing.T) {
	dir, end := writeRun(t, 4, 60)
	r := newReader(t, dir)
	for _, c := range []struct {
		after time.Duration
		life  Life
		says  string
	}{{time.Second, Running, ""}, {time.Minute, Silent, "No rank has taken samples since"}} {
		s := musttest.Get(r.Snapshot(end.Add(c.after)))(t)
		if s.Life != c.life || !strings.HasPrefix(s.Explanation, c.says) || len(s.Speeds) != 4 || s.IsIncomplete() {
			t.Errorf("after %v: %s, %q, %d ranks, %q", c.after, s.Life, s.Explanation, len(s.Speeds), s.Problems)
		}
	}
	d := musttest.Get(r.Detail(2))(t)
	if d.PID != 1002 || d.Call != "MPI_Allreduce" || d.InMPI || len(d.Stack) != 1 || len(d.Series) != 60 {
		t.Errorf("%+v", d)
	}
	if d := musttest.Get(r.Detail(99))(t); d.Rank != 99 || d.PID != 0 {
		t.Errorf("of a rank that is not there: %+v", d)
	}
}

// TestDamaged: a node file that cannot be read is a problem, and the ranks of the others are shown.
func TestDamaged(t *testing.T) {
	dir, end := writeRun(t, 256, 10)
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "node-n0001.lgd"), []byte("no node file"), 0o600))
	s := musttest.Get(newReader(t, dir).Snapshot(end))(t)
	if len(s.Speeds) != 128 || len(s.Problems) == 0 || !strings.Contains(s.Problems[0], "node-n0001.lgd") || !s.IsIncomplete() {
		t.Errorf("%d ranks, %q", len(s.Speeds), s.Problems)
	}
}

// TestWithoutSamples: what is said where there are none.
func TestWithoutSamples(t *testing.T) {
	for seconds, want := range map[int]string{switchedOff: "LAGGARD_SAMPLE_HZ=0", 0: "the job was too short"} {
		dir, end := writeRun(t, 4, seconds)
		s := musttest.Get(newReader(t, dir).Snapshot(end))(t)
		if s.Life != Unsampled || !strings.Contains(s.Explanation, want) || !s.IsIncomplete() {
			t.Errorf("%d s, %s, %q, %v", seconds, s.Life, s.Explanation, s.IsIncomplete())
		}
	}
	if _, err := slowness.NewMonitor(t.TempDir()); err != nil && !errors.Is(err, model.ErrNoRun) {
		t.Error(err)
	}
}

// BenchmarkRefresh is a refresh of the screen for the largest job that laggard top is meant for.
func BenchmarkRefresh(b *testing.B) {
	dir, end := writeRun(b, 32768, 60)
	r := newReader(b, dir)
	v := View{Width: 80, Height: 24, Order: BySlowest, Selected: -1}
	begin := time.Now()
	musttest.Get(r.Snapshot(end))(b)
	first := time.Since(begin) // with all samples since the job began
	for b.Loop() {
		s := musttest.Get(r.Snapshot(end))(b)
		s.Draw(v, nil)
	}
	b.ReportMetric(first.Seconds(), "s/first")
}
