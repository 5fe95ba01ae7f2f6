package attach

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"laggard/binary/processor"
	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// TestThread: what several looks at a thread amount to. Each letter is a look: r in
// MPI_Recv, R in another MPI_Recv, t in MPI_Test, w in MPI_Wtime, n in MPI_Get_count, f in MPI_File_write, c outside.
func TestThread(t *testing.T) {
	const letters = "rRtwnfc"
	calls := map[byte]string{'r': "MPI_Recv", 'R': "MPI_Recv", 't': "MPI_Test", 'w': "MPI_Wtime", 'n': "MPI_Get_count",
		'f': "MPI_File_write", 'c': ""}
	for _, c := range []struct {
		looks string
		call  string
		moves bool
	}{
		{"rrrrrrrrrr", "MPI_Recv", false},
		{"r", "MPI_Recv", false},
		{"rrrrrrrrrR", "MPI_Recv", true},
		{"rrrrcrrrrr", "MPI_Recv", true},
		{"rcrcrcrcrc", "", true},
		{"cccccccccc", "", false},
		{"ctcctccttc", "MPI_Test", false},
		{"tttttttttt", "MPI_Test", false},
		{"cccccccctc", "", false}, // it computes, and looked for a message once
		{"rttttttttt", "MPI_Test", true},
		{"tttwttttwt", "MPI_Test", false}, // a loop with a deadline
		{"twtwnwtwnw", "MPI_Test", false},
		{"wcwwcwwwcw", "", false}, // it computes until some time
		{"wwwwwwwwww", "MPI_Wtime", false},
		{"rrrrwwrrrr", "MPI_Recv", true},
		{"cccfcccfcc", "", true},
		{"tttttttttf", "MPI_File_write", true},
	} {
		process := &stopped.Process{Image: stopped.Image{Machine: processor.X86}}
		b := &builder{sampledRank: &sampledRank{rankProcess: &rankProcess{process: process}}, taken: &Snapshot{}, rank: &model.Rank{}}
		b.unwinder = unwind.New(&b.process.Image, &unwind.Rows{})
		shared := model.Model{}
		var seen []*model.Thread
		for i := range c.looks {
			state := strings.IndexByte(letters, c.looks[i])
			b.samples = append(b.samples, &sample{look: i})
			seen = append(seen, &model.Thread{TID: i,
				Op: model.Op{State: state, InMPI: calls[c.looks[i]] != "", Kind: model.Local}})
		}
		for _, letter := range []byte(letters) {
			shared.States = append(shared.States, &model.State{Call: calls[letter]})
		}
		for _, th := range seen {
			th.Model = shared
		}
		out, moves := b.mergeThread(seen)
		if got := b.callName(out); got != c.call || moves != c.moves {
			t.Errorf("%s: it is in %q and moves: %v, want %q, %v", c.looks, got, moves, c.call, c.moves)
		}
	}
}

// TestTake looks at a process that is named, which need not be one of MPI.
func TestTake(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	cmd.Env = append(os.Environ(), "PMI_RANK=2", "PMI_SIZE=4")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	awaitSleep(t, cmd.Process.Pid)
	o := Options{Selection: Selection{PIDs: []int{cmd.Process.Pid}}, Looks: 3, Over: 50 * time.Millisecond}
	taken := musttest.Get(TakeSnapshot(o))(t)
	r := taken.Ranks[0]
	if len(taken.Ranks) != 1 || r.Rank != 2 || taken.Size != 4 || r.PID != cmd.Process.Pid || taken.Moved.Len() > 0 ||
		len(taken.Problems) > 0 || r.Threads[0].Captured == nil || r.QuietSince.IsZero() {
		t.Fatalf("%+v: %+v", taken, r)
	}
	dir := musttest.Get(taken.Write(t.TempDir()+"/run", "test"))(t)
	run, err := runfiles.Open(dir)
	if err != nil || len(run.Ranks) != 1 || run.Ranks[0].Rank != 2 || len(run.Problems) > 0 || !run.Manifest.Imported {
		t.Errorf("%+v, %v", run, err)
	}
	o.PIDs = []int{1 << 30}
	checktest.Fails(TakeSnapshot(o))(t, stopped.ErrGone, "of a process that is not there")
}

// awaitSleep waits until a process is asleep.
func awaitSleep(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || time.Now().After(end) {
			t.Fatalf("%s, %v", text, err)
		}
		if strings.Contains(string(text), ") S ") {
			return
		}
	}
}

// TestShared: what another node adds goes into the same directory, whatever the current one is.
func TestShared(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := t.TempDir() + "/run"
	taken := &Snapshot{Size: 2, Ranks: []*model.Rank{{Rank: 0, Size: 2, Exe: "app"}}, Began: time.Now()}
	musttest.Get(taken.Write(dir, "test"))(t)
	first := musttest.Get(os.ReadDir(dir))(t)
	for _, f := range first { // as if it were of a node of another name
		if strings.HasPrefix(f.Name(), "node-") {
			musttest.Succeed(t, os.Rename(dir+"/"+f.Name(), dir+"/node-other.lgd"))
		}
	}
	got := musttest.Get(taken.Write(dir, "test"))(t)
	checktest.Equal(t, dir, got, "the second went to")
	both, _ := os.ReadDir(dir)
	here, _ := os.ReadDir(".")
	if len(both) != len(first)+1 || len(here) > 0 {
		t.Errorf("in the directory are %v, beside it %v", both, here)
	}
}
