package timeline_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"laggard/analysis/timeline"
	"laggard/analysis/timeline/timelinetest"
	"laggard/model"
	"laggard/reduce"
)

// ask asks a number of analysis ranks.
func ask(t *testing.T, analysts int, q timeline.Question) *timeline.Result {
	t.Helper()
	var result *timeline.Result
	err := reduce.Run(analysts, func(c reduce.Comm) error {
		r, err := timeline.Run(context.Background(), q, c)
		if r != nil {
			result = r
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func write(t *testing.T, j timelinetest.Job) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := j.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The answer does not depend on the number of analysis ranks.
func TestAnalystsAgree(t *testing.T) {
	job := timelinetest.Day(40)
	job.Length, job.PerNode = 3*time.Hour, 4
	q := timeline.Question{Dir: write(t, job), Columns: 100, Rows: 10}
	want := ask(t, 1, q)
	for _, n := range []int{2, 3, 8} {
		if diff := cmp.Diff(want, ask(t, n, q), cmpopts.IgnoreFields(timeline.Result{}, "Index"),
			cmp.Comparer(func(a, b model.RankSet) bool { return a.Equal(b) })); diff != "" {
			t.Fatalf("%d analysis ranks: %s", n, diff)
		}
	}
}

// Each rank's samples are all in the columns, and one that is stopped has columns without.
func TestColumns(t *testing.T) {
	job := timelinetest.Job{Ranks: 2, PerNode: 2, Length: 5 * time.Minute, Do: func(rank int, at time.Duration) timelinetest.Doing {
		stopped := rank == 1 && at >= 2*time.Minute && at < 3*time.Minute
		return timelinetest.Doing{Computing: 0.5, WaitsFor: 1 - rank, Rate: 2, Stopped: stopped}
	}}
	r := ask(t, 2, timeline.Question{Dir: write(t, job), Columns: 10})
	if r.Scale.Width != 60 || r.Scale.Columns != 5 || len(r.Rows) != 2 {
		t.Fatalf("%+v, %d rows", r.Scale, len(r.Rows))
	}
	for rank, row := range r.Rows {
		for i, c := range row.Columns {
			stopped := rank == 1 && i == 2
			if all := c.Computing + c.Waiting + c.IO; all+c.Absent != 600 || (all == 0) != stopped {
				t.Errorf("rank %d, column %d: %+v", rank, i, c)
			}
			if !stopped && c.Peer != 1-rank {
				t.Errorf("rank %d, column %d: waits for %d", rank, i, c.Peer)
			}
		}
	}
	if rate := r.Loops[0].Turns[0].Rate(); rate < 1.8 || rate > 2.7 {
		t.Errorf("%g iterations/s", rate)
	}
}

// Ranks that are alike have one row, those that differ or are set apart have rows of their own.
func TestAlike(t *testing.T) {
	job := timelinetest.Job{Ranks: 64, PerNode: 8, Length: 4 * time.Minute, Do: func(rank int, _ time.Duration) timelinetest.Doing {
		d := timelinetest.Doing{Computing: 0.6, WaitsFor: -1, Rate: 2}
		if rank == 17 {
			d.Computing = 0.95
		}
		return d
	}}
	r := ask(t, 2, timeline.Question{Dir: write(t, job), Columns: 60, Rows: 20, Apart: model.NewRankSet(40)})
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, row.Ranks.String())
	}
	if diff := cmp.Diff([]string{"0-16,18-39,41-63", "17", "40"}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutSamples(t *testing.T) {
	dir := write(t, timelinetest.Job{Ranks: 1, PerNode: 1, Do: func(int, time.Duration) timelinetest.Doing { return timelinetest.Doing{} }})
	err := reduce.Run(1, func(c reduce.Comm) error {
		_, err := timeline.Run(context.Background(), timeline.Question{Dir: dir, Columns: 10}, c)
		return err
	})
	if !errors.Is(err, timeline.ErrNoSamples) {
		t.Error(err)
	}
}
