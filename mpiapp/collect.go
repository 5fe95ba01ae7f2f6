package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"laggard/model"
	"laggard/model/process"
)

const collectLong = `With live_dir the ranks of a node keep their files on the node while the job
runs. collect brings those of this node into the run directory, or without one
given, those of all your runs on this node into theirs. It is to be called on
every node when the job is over, by the job script or the epilogue; to call it
twice, or on all nodes at once, does no harm. Files of processes that still run
are left alone.

Exit status: 0 done, also if there was nothing; 1 failed; 2 usage; 4 files were
left because their processes still run.`

const collectExample = `  srun --ntasks-per-node=1 laggard collect RUNDIR
  laggard collect --live-dir /dev/shm        # whatever is there of ended runs`

func (a *app) collectCommand() *cobra.Command {
	var live string
	cmd := &cobra.Command{
		Use:     "collect [--live-dir DIR] [RUNDIR]",
		Short:   "Bring the files that a job left on this node into the run directory",
		Long:    collectLong,
		Example: collectExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("collect wants one run directory, got %d; see laggard collect --help", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			live := cmp.Or(live, a.settings.Recorder.LiveDir)
			if len(args) == 1 {
				return a.collectRun(live, args[0])
			}
			return a.collectAll(live)
		},
	}
	cmd.Flags().StringVar(&live, "live-dir", "", "`DIR` on this node where the files are (LAGGARD_LIVE_DIR; default: as the run was started)")
	return cmd
}

// Below a live_dir there is a directory for each run, and in it a link to the
// run directory; the recorder makes both (make_path in recorder/file.c).
const (
	livePrefix = "laggard-"
	liveLink   = "run"
)

func livePath(liveDir string, id uint64) string {
	return filepath.Join(liveDir, livePrefix+model.RunIDText(id))
}

// liveOf returns the directory of a run on this node, "" if it has none. With
// liveDir "" it is where it was when the run was started.
func liveOf(liveDir, dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, model.ManifestName))
	if err != nil {
		return "", usageError{fmt.Errorf("%s is not a run directory: %w", dir, err)}
	}
	m, err := model.ParseManifest(text)
	if err != nil {
		return "", err
	}
	liveDir = cmp.Or(liveDir, m.LiveDir)
	if liveDir == "" {
		return "", nil
	}
	id, err := m.ID()
	return livePath(liveDir, id), err
}

// collectRun brings the files of one run.
func (a *app) collectRun(liveDir, dir string) error {
	live, err := liveOf(liveDir, dir)
	if err != nil || live == "" {
		return err
	}
	return a.left(bring(live, dir))
}

// collectAll brings the files of all runs that this user has on this node.
func (a *app) collectAll(liveDir string) error {
	if liveDir == "" {
		return usageError{errors.New("collect: whose files? Name a run directory, or say with --live-dir where they are")}
	}
	lives, err := filepath.Glob(filepath.Join(liveDir, livePrefix+strings.Repeat("[0-9a-f]", 16)))
	if err != nil {
		return usageError{fmt.Errorf("collect: --live-dir %s: %w", liveDir, err)}
	}
	var failed, busy error
	for _, live := range lives {
		if !ownDirectory(live) {
			continue
		}
		if err := bringHome(live); errors.Is(err, errRunning) {
			busy = errors.Join(busy, err)
		} else {
			failed = errors.Join(failed, err)
		}
	}
	return cmp.Or(failed, a.left(busy))
}

// left says which files were left, if any were because they are in use.
func (a *app) left(err error) error {
	if !errors.Is(err, errRunning) {
		return err
	}
	fmt.Fprintf(a.err, "laggard: %v\n", err)
	return exitError{exitDamaged}
}

// ownDirectory: a directory of somebody else may lead anywhere.
func ownDirectory(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// bringHome brings a run's files to where its link leads.
func bringHome(live string) error {
	dir, err := os.Readlink(filepath.Join(live, liveLink))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // just being made, or just being removed
	}
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(filepath.Base(live), livePrefix), 16, 64)
	if err != nil {
		return fmt.Errorf("collect: %s: %w", live, err)
	}
	if err := onlyRun(dir, id); err != nil {
		return fmt.Errorf("collect: %s: %w", live, err)
	}
	return bring(live, dir)
}

// errRunning: the files of a node are in use.
var errRunning = errors.New("processes of the run still run here")

// bring moves a node's files into the run directory, and removes what is left
// of the node's directory. There may be nothing, or somebody else at it.
func bring(live, dir string) error {
	if running(live) {
		return fmt.Errorf("collect: %s: %w; its files stay for now", live, errRunning)
	}
	if err := deliverAll(live, dir, true); err != nil {
		return err
	}
	removeLive(live)
	return nil
}

// removeLive removes a node's directory, unless something is in it that is not
// ours.
func removeLive(live string) {
	_ = os.Remove(filepath.Join(live, liveLink))
	subs, _ := filepath.Glob(filepath.Join(live, "??", "??"))
	more, _ := filepath.Glob(filepath.Join(live, "??"))
	for _, dir := range append(append(subs, more...), live) {
		_ = os.Remove(dir) // fails where it is not empty
	}
}

// running tells whether a process of the run lives on this node. Where it ran
// under another host name, in a container for instance, its number says nothing,
// but the sign of life does that it gives every second.
func running(live string) bool {
	run, err := model.Open(live)
	if err != nil {
		return false
	}
	host, _ := os.Hostname()
	for _, r := range append(run.Ranks, run.Others...) {
		if r.Host == host && process.Of(r) != process.Gone {
			return true
		}
		if r.Host != host && r.End == model.NoEnd && time.Since(r.Heartbeat) < process.Fresh {
			return true
		}
	}
	return false
}

// eachNodeFile calls f with the node files below a directory, by name relative
// to it, until one fails. No directory is none.
func eachNodeFile(live string, f func(name string) error) error {
	return filepath.WalkDir(live, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if ok, _ := filepath.Match(model.NodeFiles, d.Name()); !ok || !d.Type().IsRegular() {
			return nil
		}
		name, err := filepath.Rel(live, path)
		if err != nil {
			return err
		}
		return f(name)
	})
}

// deliverAll copies the files of a node into the run directory, or moves them if
// they are final.
func deliverAll(live, dir string, final bool) error {
	err := eachNodeFile(live, func(name string) error {
		if _, err := os.Stat(dir); err != nil {
			return err
		}
		return deliver(filepath.Join(live, name), filepath.Join(dir, name), final)
	})
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	return nil
}

// deliver copies a node file, or moves it if it is final. Readers see the old
// file or the new one. The lock keeps somebody who copies a file while it is in
// use from finishing behind somebody who moves it.
func deliver(from, to string, final bool) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody else has moved it
	}
	if err != nil {
		return err
	}
	defer src.Close()
	if err := unix.Flock(int(src.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", from, err)
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := replaceBy(to, src); err != nil || !final {
		return err
	}
	return os.Remove(from)
}

// replaceBy puts a copy of an open file in the place of another.
func replaceBy(to string, src io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, src)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), to)
}
