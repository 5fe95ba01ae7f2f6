//go:build e2e && long

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
)

// slowIO is a healthy program that waits for a slow file system, or compresses what it writes. It takes FILE and a size.
type slowIO struct {
	source string
	size   string
	hdf5   bool
}

var slowIOs = []slowIO{
	{source: "slowio/writes.c", size: "40000000"}, // 40 s for the write and as long for the fsync
	{source: "slowio/compresses.c", size: "60", hdf5: true},
}

// slowRate is how much the slow file system takes, in bytes per second.
const slowRate = "1000000"

// TestSlowIO: jobs that wait for a slow file system (of FUSE), or compress inside HDF5, are left alone.
// Needs make deps PACKAGES=long.
func TestSlowIO(t *testing.T) {
	mounted := mountSlowFiles(t)
	eachFamily(t, func(t *testing.T, f family) {
		for _, p := range slowIOs {
			for _, timeout := range []time.Duration{0, 10 * time.Second} {
				t.Run(fmt.Sprintf("%s-%s", filepath.Base(p.source), timeout), func(t *testing.T) {
					f.checkSlowIO(t, p, mounted, timeout)
				})
			}
		}
	})
}

func (f family) checkSlowIO(t *testing.T, p slowIO, mounted string, timeout time.Duration) {
	env, dir, flags := f.runEnvironment(t), filepath.Join(t.TempDir(), "run"), []string{"-O2"}
	file := filepath.Join(mounted, strings.ReplaceAll(t.Name(), "/", "-"))
	if p.hdf5 {
		file = filepath.Join(t.TempDir(), "field.h5")
		flags = append(flags, "-I/usr/include/hdf5/"+f.name, "-L/usr/lib/x86_64-linux-gnu/hdf5/"+f.name, "-Wl,--no-as-needed", "-lhdf5")
	}
	args := f.underRun(t, dir, []string{"--timeout", timeout.String()}, 3, f.buildProgram(t, p.source, flags...), file, p.size)
	begin := time.Now()
	j := startJob(t, env, nil, args...)
	time.Sleep(25 * time.Second) // in the midst of the call
	a := runDiagnose(t, env, dir)
	if !p.hdf5 && a.LeastProgressed != nil && a.LeastProgressed.Confidence > 0.5 { // who compresses is the one that is awaited
		t.Errorf("blamed with %.2f: %+v", a.LeastProgressed.Confidence, a.LeastProgressed)
	}
	checkUnharmed(t, j, 5*time.Minute)
	t.Logf("took %.0f s", time.Since(begin).Seconds())
}

// mountSlowFiles mounts the slow file system until the test ends.
func mountSlowFiles(t *testing.T) (dir string) {
	t.Helper()
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "fuse3").Output()
	if err != nil {
		t.Skip("no libfuse 3 here: make deps PACKAGES=long")
	}
	program, dir := filepath.Join(t.TempDir(), "slowfs"), t.TempDir()
	args := append([]string{"-O2", "-o", program, filepath.Join(programs, "slowio/slowfs.c")}, strings.Fields(string(flags))...)
	musttest.Run(t, exec.Command("gcc", args...))
	fs := exec.Command(program, dir, slowRate)
	fs.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	musttest.Succeed(t, fs.Start())
	t.Cleanup(func() {
		_ = fs.Process.Signal(syscall.SIGTERM) // libfuse unmounts
		_ = fs.Wait()
	})
	for begin := time.Now(); !isMounted(dir); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatal("the slow file system cannot be mounted")
		}
	}
	return dir
}

// isMounted reports whether a file system is mounted on a directory.
func isMounted(dir string) bool {
	mounts, _ := os.ReadFile("/proc/mounts")
	return strings.Contains(string(mounts), " "+dir+" fuse")
}
