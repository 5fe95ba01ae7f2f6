package slowness_test

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline/timelinetest"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// TestDevelop: of a run that has ended, the speed at the end and before, the slowdown, and the loop are found, and the loop
// is found again in another run.
func TestDevelop(t *testing.T) {
	job := timelinetest.Job{Ranks: 2, PerNode: 2, Length: 9 * time.Minute, Do: func(rank int, at time.Duration) timelinetest.Doing {
		d := timelinetest.Doing{Computing: 0.5, WaitsFor: -1, Rate: 20}
		if at > 5*time.Minute {
			d.Rate, d.Computing = 12, 0.3+0.6*float64(rank)
		}
		return d
	}}
	d := develop(t, job)
	if math.Abs(d.Rate.Before-20) > 1 || math.Abs(d.Rate.Now-12) > 1 {
		t.Errorf("the rates are %+v, want 20 before and 12 now", d.Rate)
	}
	if len(d.Events) == 0 || d.Events[0].Cause != slowness.RankComputes || !d.Events[0].Ranks.Contains(1) {
		t.Errorf("the events are %+v, want that rank 1 computes longer", d.Events)
	}
	if d.Loop == nil || d.Loop.Call != "MPI_Allreduce" || d.Iterations != 9 {
		t.Errorf("the loop is %+v with %d iterations", d.Loop, d.Iterations)
	}
	other := scanned(t, job)
	checktest.Equal(t, 9, d.IterationsIn(other), "iterations in the other run")
	d.Loop = &model.State{ID: model.StateID{77}}
	checktest.Equal(t, 0, d.IterationsIn(other), "iterations of a loop that the other run does not have")
}

// TestDevelopLoop: rate and iterations are of one rank's loop, that of a rank which is about as fast as most; of two that count different
// loops, either.
func TestDevelopLoop(t *testing.T) {
	for _, c := range []struct {
		ranks int
		rank  int
		rate  float64
	}{{4, 1, 20}, {2, 0, 2}} {
		d := develop(t, timelinetest.Job{Ranks: c.ranks, PerNode: 2, Length: 5 * time.Minute,
			Do: func(rank int, _ time.Duration) timelinetest.Doing {
				d := timelinetest.Doing{Computing: 0.5, WaitsFor: -1, Rate: 20}
				if rank == 0 {
					d.Rate = 2 // it makes a step of its own of each tenth
				}
				return d
			}})
		if d.Rank != c.rank || math.Abs(d.Rate.Now-c.rate) > 1 || math.Abs(d.Rate.Before-c.rate) > 1 {
			t.Errorf("%d ranks: rank %d with %+v, want rank %d with %g", c.ranks, d.Rank, d.Rate, c.rank, c.rate)
		}
	}
}

// TestDevelopShort: of a run that is too short for a speed nothing is said.
func TestDevelopShort(t *testing.T) {
	job := timelinetest.Job{Ranks: 1, PerNode: 1, Length: 2 * time.Second,
		Do: func(int, time.Duration) timelinetest.Doing { return timelinetest.Doing{Computing: 1, WaitsFor: -1} }}
	if d, err := slowness.Develop(scanned(t, job)); d != nil || err != nil {
		t.Errorf("%+v, %v, want nothing", d, err)
	}
}

func develop(t *testing.T, job timelinetest.Job) *slowness.Development {
	t.Helper()
	d, err := slowness.Develop(scanned(t, job))
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	return d
}

func scanned(t *testing.T, job timelinetest.Job) *runfiles.Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, job.Write(dir))
	return musttest.Get(runfiles.Scan(dir))(t)
}

// TestCompared: the time in which a change of speed would have been noticed is that of the loop, and none at the start.
func TestCompared(t *testing.T) {
	for _, c := range []struct{ length, want time.Duration }{{5 * time.Minute, 5 * time.Minute}, {20 * time.Second, 0}} {
		job := timelinetest.Job{Ranks: 2, PerNode: 2, Length: c.length,
			Do: func(int, time.Duration) timelinetest.Doing {
				return timelinetest.Doing{Computing: 0.5, WaitsFor: -1, Rate: 20}
			}}
		dir := filepath.Join(t.TempDir(), "run")
		musttest.Succeed(t, job.Write(dir))
		m := musttest.Get(slowness.NewMonitor(dir))(t)
		r, err := m.Refresh(timelinetest.End)
		m.Close()
		if err != nil || len(r.Events) > 0 || (r.Compared-c.want).Abs() > 10*time.Second {
			t.Errorf("compared %s, want %s; %+v, %v", r.Compared, c.want, r.Events, err)
		}
	}
}
