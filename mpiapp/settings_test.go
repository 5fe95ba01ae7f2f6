package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestDefaults: the file that config print prints is complete and read back, and
// every variable named in it exists.
func TestDefaults(t *testing.T) {
	var s settings
	meta, err := toml.Decode(defaultsTOML(), &s)
	if err != nil || len(meta.Undecoded()) > 0 {
		t.Fatal(err, meta.Undecoded())
	}
	musttest.Get(s.check())(t)
	if s.Run.OnHang != "diagnose" || time.Duration(s.Recorder.Quiet) != 2*time.Second || s.Recorder.MaxMB != 64 {
		t.Errorf("defaults: %+v", s)
	}
	checktest.EqualBy(t, cmpopts.EquateEmpty(), defaultSettings(), s, "the defaults, and as they are printed")
	checktest.Equal(t, tomlKeys(t, encodeTOML(t, s)), tomlKeys(t, defaultsTOML()), "keys that exist, and that are printed")
	named := regexp.MustCompile(`LAGGARD_[A-Z_]+`).FindAllString(defaultsTOML(), -1)
	there := []string{"LAGGARD_CONFIG"}
	for _, r := range s.table() {
		if r.env != "" {
			there = append(there, r.env)
		}
	}
	slices.Sort(named)
	slices.Sort(there)
	checktest.Equal(t, there, named, "variables that exist, and that are named")
}

func encodeTOML(t *testing.T, s settings) string {
	text := musttest.Get(toml.Marshal(s))(t)
	return string(text)
}

// tomlKeys lists the keys of a file.
func tomlKeys(t *testing.T, text string) []string {
	var all map[string]any
	meta := musttest.Get(toml.Decode(text, &all))(t)
	var keys []string
	for _, k := range meta.Keys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return keys
}

func TestReadEnv(t *testing.T) {
	environ := map[string]string{
		"LAGGARD_DIR": "d", "LAGGARD_TIMEOUT": "3m", "LAGGARD_ON_HANG": "keep", "LAGGARD_LIBRARY": "l.so",
		"LAGGARD_QUIET_MS": "250", "LAGGARD_SAMPLE_HZ": "20", "LAGGARD_MAX_MB": "7", "LAGGARD_SIGNAL": "USR1", "LAGGARD_ALGORITHM": "pdi",
		"LAGGARD_LIVE_DIR": "/dev/shm", "LAGGARD_RECORD": "progress,volume",
		"LAGGARD_ALLOCATORS": "get:2,fresh;free=put", "LAGGARD_IGNORE": "libone,libtwo",
		"LAGGARD_LEVEL": "library", "LAGGARD_STREAM_MB": "9", "LAGGARD_CHECKSUMS": "0",
		"LAGGARD_ROOTS": "/node,/image", "LAGGARD_DEBUG_DIRS": "/debug",
	}
	want, got := defaultSettings(), defaultSettings()
	want.Run.Dir, want.Run.Timeout, want.Run.OnHang = "d", duration(3*time.Minute), "keep"
	want.Diagnose.Algorithm, want.Recorder.LiveDir = "pdi", "/dev/shm"
	want.Recorder.Record = []string{"progress", "volume"}
	want.Movement.Allocators, want.Movement.Frees = []string{"get:2", "fresh"}, []string{"put"}
	want.Movement.Ignore, want.Movement.Level = []string{"libone", "libtwo"}, "library"
	want.Recorder.StreamMB, want.Recorder.Checksums = 9, false
	want.Symbols.Roots, want.Symbols.DebugDirs = []string{"/node", "/image"}, []string{"/debug"}
	want.Recorder.Library, want.Recorder.Quiet = "l.so", duration(250*time.Millisecond)
	want.Recorder.SampleHz, want.Recorder.MaxMB, want.Recorder.Signal = 20, 7, "USR1"
	musttest.Succeed(t, got.readEnv(func(name string) (string, bool) { v, ok := environ[name]; return v, ok }))
	checktest.Equal(t, want, got)
}

func TestRecorderEnv(t *testing.T) {
	var s settings
	s.Recorder.Quiet, s.Recorder.SampleHz, s.Recorder.MaxMB, s.Recorder.StreamMB = duration(1500e6), 10, 64, 128
	want := map[string]string{
		"LAGGARD_QUIET_MS": "1500", "LAGGARD_SAMPLE_HZ": "10", "LAGGARD_MAX_MB": "64", "LAGGARD_STREAM_MB": "128", "LAGGARD_CHECKSUMS": "0",
	}
	checktest.Equal(t, want, s.recorderEnv())
	s.Recorder.Signal = "USR1"
	s.Movement.Allocators, s.Movement.Frees = []string{"get:2", "fresh"}, []string{"put"}
	s.Movement.Ignore = []string{"libone", "libtwo"}
	want["LAGGARD_SIGNAL"], want["LAGGARD_IGNORE"] = "USR1", "libone,libtwo"
	want["LAGGARD_ALLOCATORS"] = "get:2,fresh;free=put"
	checktest.Equal(t, want, s.recorderEnv(), "what is not always set")
}

// TestFlags: a flag that the table names belongs to some command.
func TestFlags(t *testing.T) {
	there := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { there[f.Name] = true })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(new(app).root())
	for _, r := range new(settings).table() {
		if r.flag != "" && !there[r.flag] {
			t.Errorf("%s: no command has the flag --%s", r.key, r.flag)
		}
	}
}

// TestSet: --set gives every setting, and beats the environment.
func TestSet(t *testing.T) {
	t.Setenv("LAGGARD_MAX_MB", "7")
	s := musttest.Get(loadSettings("", "recorder.max_mb=128", "recorder.live_dir=/scratch/x", "recorder.quiet=500ms",
		`symbols.roots=["/a", "/b"]`))(t)
	if s.Recorder.MaxMB != 128 || s.Recorder.LiveDir != "/scratch/x" || len(s.Symbols.Roots) != 2 ||
		s.Recorder.Quiet != duration(500*time.Millisecond) {
		t.Errorf("the settings are %+v", s)
	}
	plain := defaultSettings()
	for _, r := range plain.table() {
		if value := r.tomlValue(); value != "" {
			musttest.Get(loadSettings("", r.key+"="+value))(t, r.key)
		}
	}
}

// FuzzSettings: any file, and any text behind --set, is a set of settings or an error.
func FuzzSettings(f *testing.F) {
	f.Add("[recorder]\nmax_mb = 64\nrecord = [\"usage\"]\n", "recorder.max_mb=128")
	f.Add("[run]\ntimeout = \"5m\"\n[diagnose]\nalgorithm = \"pdi\"\n", "run.timeout=1h")
	f.Add("[nosuch]\nx = 1\n", "symbols.roots=[\"a\", 'b']")
	f.Add("recorder.quiet = -1\n", "recorder.record=usage")
	f.Fuzz(func(t *testing.T, file, given string) {
		path := filepath.Join(t.TempDir(), "laggard.toml")
		musttest.Succeed(t, os.WriteFile(path, []byte(file), 0o600))
		s := defaultSettings()
		if s.readFile(path) == nil {
			if key, err := s.check(); err != nil {
				t.Errorf("%v: %v, though it was read", key, err)
			}
		}
		s = defaultSettings()
		if s.setKeyValue(given) == nil {
			for _, row := range s.table() {
				again := defaultSettings()
				for _, other := range again.table() {
					if other.key == row.key && other.env != "" && other.setFromEnv(row.envValue()) != nil {
						t.Errorf("%s: its own text %q is refused", row.key, row.envValue())
					}
				}
			}
		}
	})
}
