package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// nodePaths returns where in a run directory the file of a node may be. That
// depends on how many nodes the job has: up to 256, up to 32768, or more
// (levels in recorder/file.c).
func nodePaths(host string) [3]string {
	host = strings.ReplaceAll(host, "/", "_")
	hash := crc32.Checksum([]byte(host), crc32.MakeTable(crc32.Castagnoli))
	name := "node-" + host + ".lgd"
	return [3]string{name, fmt.Sprintf("%02x/%s", hash&0xff, name), fmt.Sprintf("%02x/%02x/%s", hash&0xff, hash>>8&0xff, name)}
}

// openOwn reads what the ranks of this node have recorded, nil if there is
// nothing.
func openOwn(dir string) *model.Run {
	host, err := os.Hostname()
	if err != nil {
		return nil
	}
	for _, name := range nodePaths(host) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if run, err := model.Decode(name, data); err == nil {
			return run
		}
	}
	return nil
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

func writeManifest(dir string, f runFlags, id uint64, command []string, ranks int) error {
	return model.WriteManifest(dir, &model.Manifest{
		RunID: model.RunIDText(id), Created: time.Now().UTC().Truncate(time.Second), Version: version,
		Command: command, Ranks: ranks, Job: jobName(), LiveDir: f.liveDir, Record: f.record, Features: f.numbers,
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

// libcLibrary is the second library of the recorder, beside the first. It stands
// before functions of the C library, and is preloaded only for what needs that.
const libcLibrary = "liblaggard-libc.so"

// preloads are the libraries that record what is named, as LD_PRELOAD has them.
func (a *app) preloads(record []string) (string, error) {
	lib, err := a.library()
	if err != nil || !slices.ContainsFunc(record, belowMPI) {
		return lib, err
	}
	second := filepath.Join(filepath.Dir(lib), libcLibrary)
	if _, err := os.Stat(second); err != nil {
		return "", fmt.Errorf("recorder: to record %s: %w", strings.Join(record, ", "), err)
	}
	return lib + ":" + second, nil
}

// recorderEnv is the environment that switches the recorder on.
func (a *app) recorderEnv(dir, liveDir string, record []string, id uint64) (map[string]string, error) {
	preload, err := a.preloads(record)
	if err != nil {
		return nil, err
	}
	if before := os.Getenv("LD_PRELOAD"); before != "" {
		preload += ":" + before
	}
	env := map[string]string{
		"LD_PRELOAD":       preload,
		"LAGGARD_DIR":      dir,
		"LAGGARD_RUN_ID":   model.RunIDText(id),
		"LAGGARD_LIVE_DIR": liveDir,
		"LAGGARD_RECORD":   strings.Join(record, ","),
		"LAGGARD_QUIET_MS": strconv.FormatInt(time.Duration(a.settings.Recorder.Quiet).Milliseconds(), 10),
		"LAGGARD_MAX_MB":   strconv.Itoa(a.settings.Recorder.MaxMB),
	}
	for name, value := range map[string]string{
		"LAGGARD_SIGNAL":     a.settings.Recorder.Signal,
		"LAGGARD_ALLOCATORS": a.settings.allocators(),
		"LAGGARD_IGNORE":     strings.Join(a.settings.Movement.Ignore, ","),
		"LAGGARD_LEVEL":      a.settings.Movement.Level,
	} {
		if value != "" {
			env[name] = value
		}
	}
	return env, nil
}
