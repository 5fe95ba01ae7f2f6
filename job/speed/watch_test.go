package speed

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline/timelinetest"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// slowJob writes a run directory of a job in which rank 3 computes longer in the last four minutes.
func slowJob(t *testing.T) string {
	t.Helper()
	job := timelinetest.Job{Ranks: 4, PerNode: 4, Length: 10 * time.Minute, Do: func(rank int, at time.Duration) timelinetest.Doing {
		d := timelinetest.Doing{Computing: 0.7, WaitsFor: -1, Rate: 4}
		if at >= 6*time.Minute {
			d.Rate, d.Computing = 2.5, 0.45
			if rank == 3 {
				d.Computing = 0.98
			}
		}
		return d
	}}
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, job.Write(dir))
	host, err := os.Hostname() // the job ran here
	if err == nil {
		err = os.Rename(filepath.Join(dir, "node-node001.lgd"), filepath.Join(dir, "node-"+host+".lgd"))
	}
	musttest.Succeed(t, err)
	return dir
}

// A slowdown is told once, its command runs once, and the metrics say when the job has ended.
func TestLook(t *testing.T) {
	dir, said := slowJob(t), &bytes.Buffer{}
	heard, metrics := filepath.Join(t.TempDir(), "heard"), filepath.Join(t.TempDir(), "metrics")
	w := &Watch{
		Sentence: func(e *slowness.Event) string { return fmt.Sprintf("%s of ranks %s", e.Cause, e.Ranks) }, Say: said,
		Command: `echo "$LAGGARD_SLOW_CAUSE $LAGGARD_SLOW_RANKS $LAGGARD_SLOW_DIR" >> ` + heard, MetricsFile: metrics,
		Metrics: func(w io.Writer, s State) error {
			_, err := fmt.Fprintf(w, "running %v hung %v events %d", s.Running, s.Hung, len(s.Result.Events))
			return err
		},
	}
	w.Look(timelinetest.End, dir, "shown", false)
	w.Look(timelinetest.End.Add(time.Hour), dir, "shown", true)
	if want := "laggard: rank of ranks 3\n"; said.String() != want {
		t.Errorf("said %q, not %q", said, want)
	}
	if text, _ := os.ReadFile(metrics); string(text) != "running true hung true events 1" {
		t.Errorf("metrics %q", text)
	}
	w.Close(timelinetest.End)
	if text, _ := os.ReadFile(metrics); string(text) != "running false hung true events 1" {
		t.Errorf("metrics %q", text)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(heard)
		if string(text) == "rank 3 shown\n" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the command heard %q", text)
		}
	}
}

// The metrics of a job without records do not stay those of the job before.
func TestMetricsWithoutRecords(t *testing.T) {
	metrics, none := filepath.Join(t.TempDir(), "metrics"), filepath.Join(t.TempDir(), "none")
	w := &Watch{Say: &bytes.Buffer{}, MetricsFile: metrics, Metrics: func(w io.Writer, s State) error {
		_, err := fmt.Fprintf(w, "running %v, %d ranks, %s", s.Running, s.Result.Size, s.Dir)
		return err
	}}
	check := func(want string) {
		t.Helper()
		checktest.Equal(t, want, string(musttest.Get(os.ReadFile(metrics))(t)))
	}
	w.Look(timelinetest.End, none, "shown", false)
	check("running true, 0 ranks, shown")
	w.Close(timelinetest.End)
	check("running false, 0 ranks, shown")
}

// What cannot be read or written is said once, and a directory that is not there yet is looked at again.
func TestLookAtNothing(t *testing.T) {
	said := &bytes.Buffer{}
	w := &Watch{Say: said, MetricsFile: filepath.Join(t.TempDir(), "no", "such", "file"),
		Metrics: func(io.Writer, State) error { return nil }}
	now := timelinetest.End
	w.Look(now, filepath.Join(t.TempDir(), "none"), "none", false)
	dir := slowJob(t)
	for i := range 3 {
		w.Look(now.Add(time.Duration(i+1)*time.Hour), dir, dir, false)
	}
	if w.state.Result.Size != 4 {
		t.Errorf("the ranks that came later were not seen: %+v", w.state.Result)
	}
	if n := strings.Count(said.String(), "\n"); n != 1 || !strings.HasPrefix(said.String(), "laggard: --metrics: ") {
		t.Errorf("said %q", said)
	}
}
