//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"laggard/internal/musttest"
)

// workDir holds the built programs of one run of the tests.
var workDir string

func TestMain(m *testing.M) {
	code := 1
	if signal.Ignored(syscall.SIGHUP) { // under nohup; what the tests start has it as at a terminal
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	dir, err := os.MkdirTemp("", "laggard-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(code)
	}
	workDir = dir
	os.Setenv("XDG_CACHE_HOME", cacheDir())
	code = m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// cacheDir is where laggard keeps slices in these tests.
func cacheDir() string { return filepath.Join(workDir, "cache") }

var built sync.Map // output path to func() error, which builds it once

// buildProgram compiles a program of testdata/programs and returns its path.
func (f family) buildProgram(t *testing.T, source string, flags ...string) string {
	t.Helper()
	f.mustHaveCompiler(t, source)
	dir := filepath.Join(workDir, f.String(), strings.ReplaceAll(strings.Join(flags, ""), "/", "_"), source)
	out := filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)))
	once, _ := built.LoadOrStore(out, sync.OnceValue(func() error { return f.compileProgram(source, dir, out, flags) }))
	musttest.Succeed(t, once.(func() error)())
	return out
}

// mustHaveCompiler skips a test of a program in Fortran, which the standard ABI has not.
func (f family) mustHaveCompiler(t *testing.T, source string) {
	t.Helper()
	if f.compilerFor(source) == "" {
		t.Skip("the program cannot be built: the standard ABI has no Fortran")
	}
}

func (f family) compileProgram(source, dir, out string, flags []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path, err := filepath.Abs(filepath.Join(programs, source))
	if err != nil {
		return err
	}
	args := append([]string{"-g"}, flags...)
	args = append(args, "-o", out, path, "-lm", "-lpthread", "-ldl")
	cmd := exec.Command(f.compilerFor(source), args...)
	cmd.Dir = dir // Fortran modules go there
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the program cannot be built: %s: %w\n%s", cmd, err, text)
	}
	return nil
}

func (f family) compilerFor(source string) string {
	switch filepath.Ext(source) {
	case ".c":
		return f.cc
	case ".cc":
		return f.cxx
	}
	return f.fort
}

// pythonCommand runs a program of testdata/programs under the Python that has mpi4py.
func pythonCommand(t *testing.T, source string) []string {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import mpi4py").Run(); err != nil {
		t.Skip("no mpi4py (Debian: python3-mpi4py)")
	}
	path := musttest.Get(filepath.Abs(filepath.Join(programs, source)))(t)
	return []string{python, path}
}
