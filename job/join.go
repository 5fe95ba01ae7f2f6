package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"laggard/job/collect"
	"laggard/job/launcher"
	"laggard/job/rundir"
	"laggard/model"
)

// Join makes the run directory together with the other ranks of the job and
// returns what the environment of this rank's program needs. It may return both
// that and an error: then the rank is recorded, and something beside it failed.
//
// beside starts a process of laggard's that looks after the program this one is
// about to become: "watch RUNDIR" at rank 0, unless the job is watched already, and
// "keep RUNDIR RUNID" at the first rank of a node with files of its own.
func (r *Recording) Join(command []string, beside func(words ...string) error) (map[string]string, error) {
	if err := r.agreeOnRunDir(); err != nil {
		return nil, err
	}
	env, err := r.Environment()
	if err != nil {
		return nil, err
	}
	first := launcher.Rank() == "0" && os.Getenv(watched) == ""
	var noManifest error
	if first {
		noManifest = r.writeManifest(command, launcher.Size())
		if errors.Is(noManifest, fs.ErrExist) { // only rank 0 writes it: what is dead there must not count as this job's
			return nil, rundir.EarlierJobError(r.Dir)
		}
	}
	if err := r.startNodeKeeper(beside); err != nil {
		return nil, err
	}
	if err := errors.Join(noManifest, r.startNodeGuard()); err != nil || !first {
		return env, err
	}
	r.printRunDir()
	return env, beside("watch", r.Dir)
}

// agreeOnRunDir makes the run directory, whose name and number all ranks agree on.
func (r *Recording) agreeOnRunDir() error {
	name, err := launcher.JobName()
	if err != nil && (r.Dir == "" || os.Getenv("LAGGARD_RUN_ID") == "") {
		return err
	}
	if r.Dir == "" {
		r.Dir = "laggard-" + name
	} else if os.Getenv(watched) == "" {
		r.Dir = filepath.Clean(r.Dir) + launcher.RestartSuffix()
	}
	if r.Dir, err = rundir.CreateShared(r.Dir); err != nil {
		return err
	}
	if r.ID, err = rundir.IDOf(name); err != nil {
		return err
	}
	if err := rundir.CheckRunID(r.Dir, r.ID); err != nil {
		return err
	}
	if _, err := os.Stat(rundir.EndingMark(r.Dir)); err == nil { // it would have this job ended on each node
		return rundir.EarlierJobError(r.Dir)
	}
	return nil
}

// startNodeKeeper has the first rank of a node, the one that makes its directory, leave
// a keeper there.
func (r *Recording) startNodeKeeper(beside func(words ...string) error) error {
	if r.LiveDir == "" {
		return nil
	}
	err := os.Mkdir(collect.NodeDir(r.LiveDir, r.ID), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return beside("keep", r.Dir, model.RunIDText(r.ID))
}
