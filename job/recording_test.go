package job

import (
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
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
	env := musttest.Get(r.Environment())(t)
	want := map[string]string{
		"LD_PRELOAD": library + ":/other.so", "LAGGARD_DIR": "/run", "LAGGARD_RUN_ID": "000000000000beef",
		"LAGGARD_MAX_MB": "64", "LAGGARD_LIVE_DIR": "/tmp", "LAGGARD_RECORD": "progress",
		"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
	}
	checktest.Equal(t, want, env)
	r.Record = []string{"progress", "usage"}
	t.Setenv("TSAN_OPTIONS", "exitcode=0")
	env = musttest.Get(r.Environment())(t, "usage")
	checktest.Equal(t, "exitcode=0:ignore_noninstrumented_modules=1", env["TSAN_OPTIONS"], "usage")
	r.Record = []string{"progress", "volume"}
	checktest.Fails(r.Environment())(t, os.ErrNotExist, "volume without the second library")
	second := filepath.Join(filepath.Dir(library), "liblaggard-libc.so")
	musttest.Succeed(t, os.WriteFile(second, nil, 0o600))
	env = musttest.Get(r.Environment())(t, "volume")
	checktest.Equal(t, library+":"+second+":/other.so", env["LD_PRELOAD"], "volume")
}
