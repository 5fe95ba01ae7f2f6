package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

// job is a run directory with two ranks in this process.
type job struct{ dir string }

// record writes what the ranks have left, as if they had made no progress for that long; 0: they make some.
func (j job) record(t *testing.T, quiet time.Duration) {
	t.Helper()
	host := musttest.Get(os.Hostname())(t)
	var ranks []*model.Rank
	for rank := range 2 {
		r := &model.Rank{
			Rank: rank, Size: 2, Host: host, PID: os.Getpid(), Phase: model.Running, Heartbeat: time.Now(),
			Threads: []*model.Thread{{Op: model.Op{InMPI: true, Kind: model.Recv, State: -1}}},
		}
		if quiet > 0 {
			r.QuietSince = time.Now().Add(-quiet)
		}
		if quiet < time.Minute { // since it was recorded to stand still for long
			r.Threads[0].Progress = 1
		}
		ranks = append(ranks, r)
	}
	for _, file := range musttest.Get(filepath.Glob(filepath.Join(j.dir, "node-*")))(t) {
		musttest.Succeed(t, os.Remove(file))
	}
	musttest.Get(nodefile.WriteNode(j.dir, nodefile.Header{RunID: 1, Host: host, Created: modeltest.Time(1)}, ranks))(t)
}

// TestMovesWhileDiagnosed: a job that goes on while it is diagnosed is not ended, unless a limit of its own is over; one that does
// not is.
func TestMovesWhileDiagnosed(t *testing.T) {
	for name, c := range map[string]struct {
		quiet   time.Duration // when it was diagnosed
		limited bool
		ends    bool
	}{
		"stands still": {time.Hour, false, true},
		"moves":        {0, false, false},
		"moved":        {20 * time.Millisecond, false, false},
		"limited":      {0, true, true},
	} {
		j, ended, done := job{t.TempDir()}, false, make(chan error, 1)
		j.record(t, time.Hour)
		var said strings.Builder
		w := Watcher{Dir: j.dir, Own: j.dir, OnHang: Diagnose, CanKeep: !c.limited, Timeout: time.Second, Say: &said,
			Explain: func() { time.Sleep(50 * time.Millisecond); j.record(t, c.quiet) }, End: func() { ended = true },
			Look: func(time.Time, bool) { done <- nil }}
		if c.limited {
			w.Limit = func(time.Time) (bool, string) { return true, "the test took longer than its limit" }
		}
		hung, err := w.WatchUntil(done)
		musttest.Succeed(t, err)
		checktest.Equal(t, []bool{c.ends, c.ends}, []bool{ended, hung}, name+": "+said.String())
		advised := strings.Contains(said.String(), "--on-hang keep")
		checktest.Equal(t, c.ends && !c.limited, advised, name+": --on-hang, which a test with a limit does not have, is advised")
	}
}

// standing is a job of two ranks in this process that have made no progress for that long; 0: they make some.
func standing(starter uint64, quiet time.Duration, phase model.Phase) (ranks []*model.Rank) {
	host, _ := os.Hostname()
	for rank := range 2 {
		r := &model.Rank{Rank: rank, Size: 2, Host: host, PID: os.Getpid(), Phase: phase, Heartbeat: time.Now(), Starter: starter,
			Start: time.Now().Add(-time.Hour), EndDetail: -1, ParentRank: -1,
			Threads: []*model.Thread{{Op: model.Op{InMPI: true, Kind: model.Recv, State: -1}}}}
		if quiet > 0 {
			r.QuietSince = time.Now().Add(-quiet)
		}
		ranks = append(ranks, r)
	}
	return ranks
}

// TestSeveralJobs: of several MPI jobs in one recording none is ended while one moves; one that hangs is noticed beside, before and behind
// one that finished, and certainty about one says nothing of another.
func TestSeveralJobs(t *testing.T) {
	long := standing(1, time.Hour, model.Running)
	for name, c := range map[string]struct {
		ranks   []*model.Rank
		timeout time.Duration
		still   bool
	}{
		"one moves":                    {append(standing(2, 0, model.Running), long...), time.Second, false},
		"a later one moves":            {append(slices.Clone(long), standing(2, 0, model.Running)...), time.Second, false},
		"both stand still":             {append(slices.Clone(long), standing(2, time.Minute, model.Running)...), time.Second, true},
		"a later one finished":         {append(slices.Clone(long), standing(2, 0, model.Finalized)...), time.Second, true},
		"certain of one, not of both":  {append(slices.Clone(long), standing(2, 2*time.Minute, model.Running)...), 0, false},
		"certain, and the other ended": {append(standing(1, 2*time.Minute, model.Running), standing(2, 0, model.Finalized)...), 0, true},
	} {
		dir := t.TempDir()
		host := musttest.Get(os.Hostname())(t)
		musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 1, Host: host, Created: modeltest.Time(1)}, c.ranks))(t)
		w := Watcher{Dir: dir, Own: dir, Timeout: c.timeout, Certain: func(string) bool { return true }}
		checktest.Equal(t, c.still, w.isHung(time.Now()), name, "hung")
		checktest.Equal(t, true, IsUnfinished(dir), name, "unfinished")
	}
}

// TestCrashedBefore: a job that crashed has failed, also if a later one of the recording finished.
func TestCrashedBefore(t *testing.T) {
	dir, crashed := t.TempDir(), standing(1, 0, model.Running)
	for _, r := range crashed {
		r.End, r.EndTime = model.Signalled, time.Now()
	}
	host := musttest.Get(os.Hostname())(t)
	h := nodefile.Header{RunID: 1, Host: host, Created: modeltest.Time(1)}
	musttest.Get(nodefile.WriteNode(dir, h, append(crashed, standing(2, 0, model.Finalized)...)))(t)
	checktest.Equal(t, true, IsUnfinished(dir), "unfinished")
}
