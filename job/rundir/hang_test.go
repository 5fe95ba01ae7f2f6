package rundir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// writeRun writes a run of one rank that has begun so many calls.
func writeRun(t *testing.T, dir string, calls uint64) (node string) {
	t.Helper()
	_ = os.Remove(filepath.Join(dir, "node-a.lgd"))
	name := musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 7, Host: "a"}, []*model.Rank{{Rank: 0, Size: 2, PID: 5,
		Phase: model.Running, Threads: []*model.Thread{{Op: model.Op{State: -1}, Calls: calls}}}}))(t)
	return filepath.Join(dir, name)
}

func readCalls(t *testing.T, open func(string) (*model.Run, error), dir string) uint64 {
	t.Helper()
	run, err := open(dir)
	if err != nil || len(run.Ranks) == 0 || len(run.Problems) > 0 {
		t.Fatalf("%+v, %v", run, err)
	}
	return run.Ranks[0].Threads[0].Calls
}

// TestNoteHang: what ranks record after a hang was noticed is not what is read,
// unless the job goes on.
func TestNoteHang(t *testing.T) {
	dir := t.TempDir()
	musttest.Succeed(t, WriteManifest(dir, 7, model.Manifest{}))
	node := writeRun(t, dir, 10)
	sightings := process.Observations{Processes: []process.Observation{{PID: 5, Stopped: time.Unix(1, 0)}}}
	musttest.Succeed(t, sightings.Write(node))
	at := time.Unix(1800000000, 0).UTC()
	outside := &model.Rank{Rank: 1, Size: -1, PID: 6, Phase: model.Starting, EndDetail: -1, ThreadLevel: -1,
		Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
	musttest.Succeed(t, NoteHang(dir, at, []*model.Rank{outside}))
	writeRun(t, dir, 20)
	checktest.Equal(t, 10, readCalls(t, runfiles.Open, dir), "calls when the hang was noticed")
	checktest.Equal(t, 20, readCalls(t, runfiles.OpenPresent, dir), "calls by now")
	if run, err := runfiles.Open(dir); err != nil || len(run.Ranks) != 2 || run.Ranks[1].PID != 6 {
		t.Errorf("rank 1 was seen from outside: %+v, %v", run, err)
	}
	x, err := runfiles.Scan(dir)
	if err != nil || !x.Manifest.Noticed.Equal(at) || !x.Stood.IsZero() {
		t.Errorf("%+v, %v: want noticed at %s", x, err, at)
	}
	seen, err := process.ReadObservations(filepath.Join(dir, x.Slots[0].File))
	if err != nil || len(seen.Processes) != 1 || seen.Processes[0].Stopped.IsZero() {
		t.Errorf("sightings of then: %+v, %v", seen, err)
	}
	for range 2 { // a second time it is not there
		musttest.Succeed(t, ForgetHang(dir))
		if x, err = runfiles.Scan(dir); err != nil || !x.Stood.Equal(at) {
			t.Errorf("%+v, %v: want that it stood at %s", x, err, at)
		}
	}
	checktest.Equal(t, 20, readCalls(t, runfiles.Open, dir), "calls after it went on")
}
