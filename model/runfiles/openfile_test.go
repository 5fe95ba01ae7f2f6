package runfiles

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
)

// TestOpenFile: one file is read as its run is, and what streams of events have written behind the records takes no memory.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	ranks := []*model.Rank{{Rank: 0, Size: 2, PID: 5}, {Rank: 1, Size: 2, PID: 6}}
	path := filepath.Join(dir, musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 7, Host: "a"}, ranks))(t))
	musttest.Succeed(t, os.Truncate(path, 4<<30))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run := musttest.Get(OpenFile(path))(t)
	runtime.ReadMemStats(&after)
	checktest.Equal(t, 2, len(run.Ranks), "ranks")
	checktest.Equal(t, 6, run.Ranks[1].PID, "process of rank 1")
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	checktest.Fails(OpenFile(filepath.Join(dir, "node-b.lgd")))(t, os.ErrNotExist)
}
