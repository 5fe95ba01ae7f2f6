//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"testing"
)

// fileLock is a program of testdata/programs/filelocks that hangs because of the lock of a file.
type fileLock struct {
	source string
	least  []int    // the least-progressed ranks
	says   []string // beginning and end of the texts that have the folder of the file within
	at     string   // where a rank waits for the lock, or has it
}

var fileLocks = []fileLock{
	{"manifest.c", []int{0}, []string{
		"rank 0 still holds a lock that ranks 1-2 ask for; ranks 1-2 wait for the lock of ", "/manifest, which rank 0 holds",
	}, "manifest.c:44"},
	{"catalogue.cc", []int{1, 2}, []string{"rank 1 waits for the lock of ", "/catalogue, which rank 2 holds"}, "catalogue.cc:18"},
	{"restart.f90", []int{0}, []string{"rank 1 waits for the lock of ", "/restart.lock, which rank 0 holds"}, "restart.f90:57"},
	{"shards.py", []int{1}, []string{"ranks 0,2 wait for the lock of ", "/shard3, which rank 1 holds"}, "shards.py:37"},
	{"archive.c", []int{1}, []string{"rank 1 waits for the lock of ", "/list, which process ", " (packer) holds, no rank of the job"},
		"archive.c:56"},
}

// TestFileLocks: who has the lock of a file that ranks wait for is told. Without the fault nothing is reported.
func TestFileLocks(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, selectCases(f, fileLocks), f.checkFileLock)
	})
}

func (c fileLock) String() string { return c.source }

func (f family) checkFileLock(t *testing.T, c fileLock) {
	var command []string
	if filepath.Ext(c.source) == ".py" {
		if f.abi || f.name != "openmpi" {
			t.Skip("Debian has mpi4py for one MPI")
		}
		command = pythonCommand(t, filepath.Join("filelocks", c.source))
	} else {
		command = []string{f.buildProgram(t, filepath.Join("filelocks", c.source), "-O1")}
	}
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "hang")
	j := f.startRecorded(t, dir, env, 3, nil, append(slices.Clone(command), "hang", t.TempDir())...)
	j.awaitHang()
	j.checkDiagnosis(t, env, dir, c.least, append(slices.Clone(c.says), c.at)...)
	f.checkFinishes(t, env, append(slices.Clone(command), "good", t.TempDir())...)
}
