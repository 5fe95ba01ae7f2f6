package collect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"laggard/job/rundir"
	"laggard/model"
	"laggard/model/process"
)

const (
	prefix = "laggard-"
	link   = "run"
)

// ErrRunning is returned when the files of a node are in use.
var ErrRunning = errors.New("processes of the run still run here")

// Path is the directory of a run below a live_dir.
func Path(liveDir string, id uint64) string {
	return filepath.Join(liveDir, prefix+model.RunIDText(id))
}

// Find returns the directory on this node of the run in dir, "" if it has none.
// With liveDir "" it is where it was when the run was started.
func Find(liveDir, dir string) (string, error) {
	m, err := rundir.Manifest(dir)
	if err != nil {
		return "", err
	}
	liveDir = cmp.Or(liveDir, m.LiveDir)
	if liveDir == "" {
		return "", nil
	}
	id, err := m.ID()
	return Path(liveDir, id), err
}

// Bring moves a node's files into the run directory dir, and removes what is left
// of the node's directory live. There may be nothing. If the files are in use the
// error wraps ErrRunning.
func Bring(live, dir string) error {
	if Running(live) {
		return fmt.Errorf("collect: %s: %w; its files stay for now", live, ErrRunning)
	}
	if err := deliverAll(live, dir, true); err != nil {
		return err
	}
	remove(live)
	return nil
}

// BringAll brings the files of all runs that this user has below a live_dir to
// where their links lead. failed and busy (wraps ErrRunning) join the errors.
func BringAll(liveDir string) (failed, busy error) {
	entries, err := os.ReadDir(liveDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collect: %w", err), nil
	}
	for _, e := range entries {
		hex, ok := strings.CutPrefix(e.Name(), prefix)
		id, err := strconv.ParseUint(hex, 16, 64)
		live := filepath.Join(liveDir, e.Name())
		if !ok || err != nil || len(hex) != 16 || !own(live) {
			continue
		}
		if err := bringHome(live, id); errors.Is(err, ErrRunning) {
			busy = errors.Join(busy, err)
		} else {
			failed = errors.Join(failed, err)
		}
	}
	return failed, busy
}

// own tells whether a directory is this user's: somebody else's may lead anywhere.
func own(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// bringHome brings a run's files to where its link leads.
func bringHome(live string, id uint64) error {
	dir, err := os.Readlink(filepath.Join(live, link))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // just being made, or just being removed
	}
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	if err := rundir.Belongs(dir, id); err != nil {
		return fmt.Errorf("collect: %s: %w", live, err)
	}
	return Bring(live, dir)
}

// remove removes a node's directory, unless something else is in it.
func remove(live string) {
	_ = os.Remove(filepath.Join(live, link))
	subs, _ := filepath.Glob(filepath.Join(live, "??", "??"))
	more, _ := filepath.Glob(filepath.Join(live, "??"))
	for _, dir := range append(append(subs, more...), live) {
		_ = os.Remove(dir) // fails where it is not empty
	}
}

// Running tells whether a process of the run lives on this node. Where it ran
// under another host name, or has a number of its own in a container, that number proves
// nothing, but the sign of life does that it gives every second.
func Running(live string) bool {
	run, err := model.Open(live)
	if err != nil {
		return false
	}
	host, _ := os.Hostname()
	for _, r := range append(run.Ranks, run.Others...) {
		here := process.Here(r, host)
		if here && process.Of(r) != process.Gone {
			return true
		}
		if !here && r.End == model.NoEnd && time.Since(r.Heartbeat) < process.Fresh {
			return true
		}
	}
	return false
}
