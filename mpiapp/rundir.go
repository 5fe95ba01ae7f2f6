package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"laggard/model"
)

// newRunDir makes the directory of a new run; it must not hold one already.
func newRunDir(dir string) (string, error) {
	if dir == "" {
		dir = fmt.Sprintf("laggard-%s-%d", time.Now().Format("20060102-150405"), os.Getpid())
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	switch err := os.Mkdir(dir, 0o700); {
	case err == nil:
		return dir, nil
	case !errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("run directory: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("run directory: %w", err)
	}
	if len(entries) > 0 {
		return "", usageError{fmt.Errorf("run directory %s is not empty; nothing is overwritten, choose another", dir)}
	}
	return dir, os.Chmod(dir, 0o700)
}

// newRunID draws the number that tells the files of one run from another's.
func newRunID() (uint64, error) {
	var b [8]byte
	_, err := rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]), err
}

// jobName is what the resource manager calls the job.
func jobName() string {
	if id := os.Getenv("SLURM_JOB_ID"); id != "" {
		if step := os.Getenv("SLURM_STEP_ID"); step != "" {
			return "slurm " + id + "." + step
		}
		return "slurm " + id
	}
	for _, v := range []struct{ name, kind string }{{"PBS_JOBID", "pbs"}, {"LSB_JOBID", "lsf"}, {"FLUX_JOB_ID", "flux"}, {"COBALT_JOBID", "cobalt"}} {
		if id := os.Getenv(v.name); id != "" {
			return v.kind + " " + id
		}
	}
	return ""
}

func writeManifest(dir string, id uint64, command []string, ranks int) error {
	return model.WriteManifest(dir, &model.Manifest{
		RunID: model.RunIDText(id), Created: time.Now().UTC().Truncate(time.Second), Version: version,
		Command: command, Ranks: ranks, Job: jobName(),
	})
}

// library finds the recorder: as set, beside the program, or where make install
// puts it.
func (a *app) library() (string, error) {
	if set := a.settings.Recorder.Library; set != "" {
		if _, err := os.Stat(set); err != nil {
			return "", fmt.Errorf("recorder: %w", err)
		}
		return filepath.Abs(set)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	bin := filepath.Dir(self)
	for _, path := range []string{filepath.Join(bin, "liblaggard.so"), filepath.Join(bin, "..", "lib", "laggard", "liblaggard.so")} {
		if _, err := os.Stat(path); err == nil {
			return filepath.Clean(path), nil
		}
	}
	return "", fmt.Errorf("recorder: liblaggard.so is neither beside %s nor in ../lib/laggard; make build makes it", self)
}

// recorderEnv is the environment that switches the recorder on.
func (a *app) recorderEnv(dir string, id uint64) (map[string]string, error) {
	lib, err := a.library()
	if err != nil {
		return nil, err
	}
	preload := lib
	if before := os.Getenv("LD_PRELOAD"); before != "" {
		preload += ":" + before
	}
	env := map[string]string{
		"LD_PRELOAD":       preload,
		"LAGGARD_DIR":      dir,
		"LAGGARD_RUN_ID":   model.RunIDText(id),
		"LAGGARD_QUIET_MS": strconv.FormatInt(time.Duration(a.settings.Recorder.Quiet).Milliseconds(), 10),
		"LAGGARD_MAX_MB":   strconv.Itoa(a.settings.Recorder.MaxMB),
	}
	if s := a.settings.Recorder.Signal; s != "" {
		env["LAGGARD_SIGNAL"] = s
	}
	return env, nil
}
