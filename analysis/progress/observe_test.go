package progress

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// TestObserveTraced: a process that a debugger has stopped is judged by its record.
func TestObserveTraced(t *testing.T) {
	runtime.LockOSThread() // which is the tracer
	defer runtime.UnlockOSThread()
	path := musttest.Get(exec.LookPath("sleep"))(t)
	c := exec.Command(path, "60")
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	musttest.Succeed(t, c.Start())
	defer func() { _, _ = c.Process.Kill(), c.Wait() }()
	exe := musttest.Get(filepath.EvalSymlinks(path))(t)
	r := &model.Rank{Rank: 2, Host: musttest.Get(os.Hostname())(t), PID: c.Process.Pid, Exe: exe, Phase: model.Running}
	var status syscall.WaitStatus
	musttest.Get(syscall.Wait4(r.PID, &status, 0, nil))(t)
	o := newOverview(nil)
	newObserver(&runfiles.Index{Dir: t.TempDir()}).observeRank(r, &o)
	checktest.Equal(t, "2", o.Traced.String(), "traced")
	checktest.Equal(t, 0, len(o.Liveness), "stopped")
	checktest.Equal(t, true, o.Alive, "alive")
}

// TestObserveFar: a rank of another host whose record says that it moves is believed while the record may be on its way here, as on NFS.
func TestObserveFar(t *testing.T) {
	for name, c := range map[string]struct {
		age    time.Duration
		change func(r *model.Rank)
		over   bool
		late   bool // on NFS
		moves  bool
	}{
		"on its way": {20 * time.Second, nil, false, true, true},
		"not on NFS": {9 * time.Second, nil, false, false, false},
		"too old":    {50 * time.Second, nil, false, true, false},
		"quiet by then": {20 * time.Second, func(r *model.Rank) { r.QuietSince = r.Heartbeat.Add(-3 * time.Second) },
			false, true, false},
		"ended":              {20 * time.Second, func(r *model.Rank) { r.End = model.Exited }, false, true, false},
		"gone, as was seen":  {20 * time.Second, func(r *model.Rank) { r.Gone = r.Heartbeat }, false, true, false},
		"the launcher ended": {20 * time.Second, nil, true, true, false},
	} {
		dir := t.TempDir()
		if c.over {
			musttest.Succeed(t, os.WriteFile(filepath.Join(dir, process.LauncherName), nil, 0o600))
		}
		r := &model.Rank{Rank: 2, Host: "another.example.org", Phase: model.Running, Heartbeat: time.Now().Add(-c.age)}
		if c.change != nil {
			c.change(r)
		}
		o := newOverview(nil)
		e := newObserver(&runfiles.Index{Dir: dir})
		e.late = c.late
		e.observeRank(r, &o)
		checktest.Equal(t, c.moves, len(o.Moving) == 1 && !o.Progress.IsZero(), name)
	}
}
