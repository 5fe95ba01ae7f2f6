package job

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
)

func TestEnvironment(t *testing.T) {
	library := filepath.Join(t.TempDir(), "liblaggard.so")
	musttest.Succeed(t, os.WriteFile(library, nil, 0o600))
	t.Setenv("LD_PRELOAD", "/other.so")
	t.Setenv("ASAN_OPTIONS", "detect_leaks=0")
	r := Recording{
		Dir: "/run", ID: 0xbeef, LiveDir: "/tmp", Record: []string{"progress"}, Library: library,
		Settings: map[string]string{"LAGGARD_MAX_MB": "64"},
	}
	env, err := r.Environment()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"LD_PRELOAD": library + ":/other.so", "LAGGARD_DIR": "/run", "LAGGARD_RUN_ID": "000000000000beef",
		"LAGGARD_MAX_MB": "64", "LAGGARD_LIVE_DIR": "/tmp", "LAGGARD_RECORD": "progress",
		"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
	}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Error(diff)
	}
	r.Record = []string{"progress", "usage"}
	t.Setenv("TSAN_OPTIONS", "exitcode=0")
	if env, err = r.Environment(); err != nil ||
		env["TSAN_OPTIONS"] != "exitcode=0:ignore_noninstrumented_modules=1" {
		t.Errorf("usage: %v, %v", env, err)
	}
	r.Record = []string{"progress", "volume"}
	if _, err = r.Environment(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("volume without the second library: %v", err)
	}
	second := filepath.Join(filepath.Dir(library), "liblaggard-libc.so")
	musttest.Succeed(t, os.WriteFile(second, nil, 0o600))
	if env, err = r.Environment(); err != nil || env["LD_PRELOAD"] != library+":"+second+":/other.so" {
		t.Errorf("volume: %v, %v", env, err)
	}
}
