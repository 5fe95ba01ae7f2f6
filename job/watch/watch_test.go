package watch

import (
	"os"
	"path/filepath"
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
