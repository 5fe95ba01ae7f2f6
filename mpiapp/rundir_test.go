package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
)

func TestNewRunDir(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := newRunDir("")
	if err != nil || !filepath.IsAbs(dir) || !strings.HasPrefix(filepath.Base(dir), "laggard-") {
		t.Errorf("a name of its own: %s, %v", dir, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var usage usageError
	if _, err := newRunDir(dir); !errors.As(err, &usage) {
		t.Errorf("a directory with data in it: %v", err)
	}
	if _, err := newRunDir(filepath.Join(dir, "data")); err == nil {
		t.Error("a file is taken for a directory")
	}
	if err := os.Mkdir("open", 0o755); err != nil {
		t.Fatal(err)
	}
	if dir, err = newRunDir("open"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("an empty directory is left at %v, %v", info.Mode(), err)
	}
}

// TestNodePaths: however the nodes of a cluster are named, no directory has more
// than 256 entries.
func TestNodePaths(t *testing.T) {
	for _, c := range []struct {
		format string
		nodes  int
		level  int
	}{
		{"node%d", 32768, 1}, {"nid%06d", 32768, 1}, {"frontier%05d", 9408, 1}, {"r%03dc%02d", 32768, 1}, {"cn-%d.cluster.example.org", 32768, 1},
		{"node%d", 1 << 20, 2}, {"nid%06d", 160000, 2}, {"x%08d", 1 << 20, 2},
	} {
		entries := map[string]map[string]bool{}
		for i := range c.nodes {
			host := fmt.Sprintf(c.format, i)
			if strings.Count(c.format, "%") == 2 {
				host = fmt.Sprintf(c.format, i/64, i%64)
			}
			for path := nodePaths(host)[c.level]; path != "."; path = filepath.Dir(path) {
				dir := filepath.Dir(path)
				if entries[dir] == nil {
					entries[dir] = map[string]bool{}
				}
				entries[dir][path] = true
			}
		}
		for dir, in := range entries {
			if len(in) > 256 {
				t.Errorf("%d nodes named %s: %d entries in %s", c.nodes, c.format, len(in), dir)
			}
		}
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	noJob(t)
	t.Setenv("SLURM_JOB_ID", "17")
	if err := writeManifest(dir, runFlags{liveDir: "/dev/shm", record: []string{"progress", "volume"}}, 0xbeef, []string{"srun", "./app"}, 4); err != nil {
		t.Fatal(err)
	}
	if err := writeManifest(dir, runFlags{}, 0xbeef, nil, 0); !errors.Is(err, os.ErrExist) {
		t.Errorf("a manifest was overwritten: %v", err)
	}
	index, err := model.Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := index.Manifest; index.ID != 0xbeef || m.Ranks != 4 || m.Job != "slurm 17" || m.Command[1] != "./app" || m.LiveDir != "/dev/shm" || !slices.Equal(m.Record, []string{"progress", "volume"}) || m.Created.IsZero() {
		t.Errorf("manifest %+v", m)
	}
	if err := onlyRun(dir, 0xbeef); err != nil {
		t.Error(err)
	}
	if err := onlyRun(dir, 1); err == nil {
		t.Error("the directory of another run is taken")
	}
	if err := onlyRun(t.TempDir(), 1); err != nil {
		t.Error(err)
	}
}

func TestRecorderEnv(t *testing.T) {
	library := filepath.Join(t.TempDir(), "liblaggard.so")
	if err := os.WriteFile(library, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_PRELOAD", "/other.so")
	a := &app{}
	a.settings.Recorder.Library = library
	a.settings.Recorder.Quiet = duration(1500e6)
	a.settings.Recorder.MaxMB = 64
	env, err := a.recorderEnv("/run", "/tmp", []string{"progress"}, 0xbeef)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"LD_PRELOAD": library + ":/other.so", "LAGGARD_DIR": "/run", "LAGGARD_RUN_ID": "000000000000beef",
		"LAGGARD_QUIET_MS": "1500", "LAGGARD_MAX_MB": "64", "LAGGARD_LIVE_DIR": "/tmp", "LAGGARD_RECORD": "progress",
	}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Error(diff)
	}
	a.settings.Recorder.Signal = "USR1"
	a.settings.Movement.Allocators, a.settings.Movement.Frees = []string{"get:2", "fresh"}, []string{"put"}
	a.settings.Movement.Ignore = []string{"libone", "libtwo"}
	env, err = a.recorderEnv("/run", "", nil, 1)
	if err != nil || env["LAGGARD_SIGNAL"] != "USR1" || env["LAGGARD_ALLOCATORS"] != "get:2,fresh;free=put" || env["LAGGARD_IGNORE"] != "libone,libtwo" {
		t.Errorf("what is not always set: %v, %v", env, err)
	}
	if _, err = a.recorderEnv("/run", "", []string{"progress", "volume"}, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("volume without the second library: %v", err)
	}
	second := filepath.Join(filepath.Dir(library), "liblaggard-libc.so")
	if err := os.WriteFile(second, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if env, err = a.recorderEnv("/run", "", []string{"progress", "volume"}, 1); err != nil || env["LD_PRELOAD"] != library+":"+second+":/other.so" {
		t.Errorf("volume: %v, %v", env, err)
	}
}
