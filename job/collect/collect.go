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
	"laggard/model/runfiles"
)

const link = "run"

// ErrRunning is returned when the files of a node are in use.
var ErrRunning = errors.New("processes of the run still run here")

// NodeDir is the directory of a run below a live_dir.
func NodeDir(liveDir string, id uint64) string {
	return model.NodeDir(liveDir, model.RunIDText(id))
}

// FindNodeDir returns the directory on this node of the run in dir, "" if it has none.
// With liveDir "" it is where it was when the run was started.
func FindNodeDir(liveDir, dir string) (string, error) {
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		return "", err
	}
	liveDir = cmp.Or(liveDir, m.LiveDir)
	if liveDir == "" {
		return "", nil
	}
	id, err := m.ID()
	return NodeDir(liveDir, id), err
}

// MoveFiles moves a node's files into the run directory dir, and removes what is left
// of the node's directory live. There may be nothing. If the files are in use the
// error wraps ErrRunning.
func MoveFiles(live, dir string) error {
	if IsRunning(live) {
		return fmt.Errorf("collect: %s: %w; its files are left in place for now", live, ErrRunning)
	}
	if err := deliverAll(live, dir, true); err != nil {
		return err
	}
	removeNodeDir(live)
	return nil
}

// MoveAllFiles brings the files of all runs that this user has below a live_dir to
// where their links lead. failed and busy (wraps ErrRunning) join the errors.
func MoveAllFiles(liveDir string) (failed, busy error) {
	entries, err := os.ReadDir(liveDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collect: %w", err), nil
	}
	for _, e := range entries {
		hex, ok := strings.CutPrefix(e.Name(), model.NodeDirPrefix)
		id, err := strconv.ParseUint(hex, 16, 64)
		live := filepath.Join(liveDir, e.Name())
		if !ok || err != nil || len(hex) != 16 || !isOwnDir(live) {
			continue
		}
		if err := moveToRecordedDir(live, id); errors.Is(err, ErrRunning) {
			busy = errors.Join(busy, err)
		} else {
			failed = errors.Join(failed, err)
		}
	}
	return failed, busy
}

// isOwnDir reports whether a directory is this user's: another user's may lead anywhere.
func isOwnDir(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// moveToRecordedDir brings a run's files to where its link leads.
func moveToRecordedDir(live string, id uint64) error {
	dir, err := os.Readlink(filepath.Join(live, link))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // just being made, or just being removed
	}
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	if err := rundir.CheckRunID(dir, id); err != nil {
		return fmt.Errorf("collect: %s: %w", live, err)
	}
	return MoveFiles(live, dir)
}

// removeNodeDir removes a node's directory, unless something else is in it.
func removeNodeDir(live string) {
	_ = os.Remove(filepath.Join(live, link))
	subs, _ := filepath.Glob(filepath.Join(live, "??", "??"))
	more, _ := filepath.Glob(filepath.Join(live, "??"))
	for _, dir := range append(append(subs, more...), live) {
		_ = os.Remove(dir) // fails where it is not empty
	}
}

// IsRunning reports whether a process of the run lives on this node. Where it ran
// under another host name, or has a number of its own in a container, that number proves
// nothing, but the sign of life does that it gives every second.
func IsRunning(live string) bool {
	run, err := runfiles.Open(live)
	if err != nil {
		return false
	}
	host, _ := os.Hostname()
	for _, r := range run.Processes() {
		here := process.IsLocal(r, host)
		if here && process.StateOf(r) != process.Gone {
			return true
		}
		if !here && r.End == model.NoEnd && time.Since(r.Heartbeat) < process.Fresh {
			return true
		}
	}
	return false
}
