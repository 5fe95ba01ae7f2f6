package sight

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/process"
)

// startRanks starts processes and records them as ranks of this node.
func startRanks(t *testing.T, ranks int) (node string, pids []int) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	var run []*model.Rank
	for i := range ranks {
		child := exec.Command(sleep, "60")
		musttest.Succeed(t, child.Start())
		go func() { _ = child.Wait() }()
		t.Cleanup(func() { _ = child.Process.Kill() })
		pids = append(pids, child.Process.Pid)
		run = append(run, &model.Rank{Rank: i, Size: ranks, PID: child.Process.Pid, Phase: model.Running,
			Threads: []*model.Thread{{Op: model.Op{State: -1}}}})
	}
	name := musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 1, Host: host}, run))(t)
	return filepath.Join(dir, name), pids
}

// awaitSightings waits until the sightings say what is wanted.
func awaitSightings(t *testing.T, node string, holds func(s *process.Observations) bool) *process.Observations {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		s, err := process.ReadObservations(node)
		if err == nil && holds(s) {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("%+v, %v", s, err)
		}
	}
}

// TestOrder: processes that end right behind one another are seen to do so in order.
func TestOrder(t *testing.T) {
	node, pids := startRanks(t, 12)
	over := make(chan struct{})
	ended := make(chan struct{})
	s := New(filepath.Dir(node))
	go func() { s.WatchUntil(over); close(ended) }()
	s.WriteNow() // all have been met
	order := []int{7, 3, 11, 0, 5, 1, 10, 2, 9, 4, 8, 6}
	for _, i := range order {
		_ = syscall.Kill(pids[i], syscall.SIGKILL)
		for syscall.Kill(pids[i], 0) == nil { // until it has been reaped
			time.Sleep(100 * time.Microsecond)
		}
	}
	close(over)
	<-ended
	got := awaitSightings(t, node, func(s *process.Observations) bool { return len(s.Processes) == len(pids) }).Processes
	slices.SortFunc(got, func(a, b process.Observation) int { return a.Gone.Compare(b.Gone) })
	for i, p := range got {
		if p.Gone.IsZero() || p.Slot != order[i] {
			t.Errorf("number %d to end is slot %d, want %d: %+v", i, p.Slot, order[i], got)
		}
	}
}

// TestStopped: a stopped process is seen, and that it goes on.
func TestStopped(t *testing.T) {
	node, pids := startRanks(t, 3)
	over, ended := make(chan struct{}), make(chan struct{})
	s := New(filepath.Dir(node))
	go func() { s.WatchUntil(over); close(ended) }()
	defer func() { close(over); <-ended }()
	stopped := func(want bool) func(s *process.Observations) bool {
		return func(s *process.Observations) bool {
			return len(s.Processes) == 3 && s.Processes[1].Stopped.IsZero() != want && s.Processes[0].Stopped.IsZero()
		}
	}
	s.WriteNow()
	_ = syscall.Kill(pids[1], syscall.SIGSTOP)
	awaitSightings(t, node, stopped(true))
	_ = syscall.Kill(pids[1], syscall.SIGCONT)
	awaitSightings(t, node, func(found *process.Observations) bool {
		s.WriteNow() // by itself it tells of ends and stops only
		return stopped(false)(found)
	})
}

// TestHealthy: of ranks that end as they should nothing is written.
func TestHealthy(t *testing.T) {
	node, _ := startRanks(t, 2)
	over := make(chan struct{})
	close(over)
	New(filepath.Dir(node)).WatchUntil(over)
	if _, err := os.Stat(process.ObservationsName(node)); err == nil {
		t.Error("there are sightings of a healthy job")
	}
}

// TestContained: of a rank whose number counts in a container only nothing is seen, least of all that it is gone.
func TestContained(t *testing.T) {
	node, pids := startRanks(t, 1)
	host, _ := os.Hostname()
	dir := t.TempDir()
	var run []*model.Rank
	for i, r := range []model.Rank{{PID: pids[0]}, {PID: 1 << 30, PIDSpace: 1}} {
		r.Rank, r.Size, r.Phase, r.Threads = i, 2, model.Running, []*model.Thread{{Op: model.Op{State: -1}}}
		run = append(run, &r)
	}
	musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 1, Host: host}, run))(t)
	s := New(dir)
	s.WriteNow()
	s.close()
	seen, err := process.ReadObservations(filepath.Join(dir, filepath.Base(node)))
	if err != nil || len(seen.Processes) != 1 || seen.Processes[0].PID != pids[0] {
		t.Errorf("%+v, %v", seen, err)
	}
}
