package injector

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"laggard/injector/ptrace"
	"laggard/internal/musttest"
)

// compileProgram compiles a program of testdata and returns its path. A machine without
// a C compiler skips the test.
func compileProgram(t *testing.T, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to compile the programs under test with")
	}
	out := filepath.Join(t.TempDir(), source)
	args := append([]string{"-o", out, filepath.Join("testdata", "programs", source+".c"), "-pthread", "-ldl"},
		flags...)
	musttest.Run(t, exec.Command(cc, args...))
	return out
}

// TestMain lets the test program be the helper that Exec starts and the command
// that stands before the program.
func TestMain(m *testing.M) {
	switch os.Getenv("INJECTOR_TEST_ROLE") {
	case "exec":
		os.Setenv("INJECTOR_TEST_ROLE", "trace")
		exitWithError(Exec(os.Args[1], os.Args[2:], []string{os.Args[0]}))
	case "trace":
		if err := Trace(os.Args[1:]); err != nil {
			exitWithError(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func exitWithError(err error) {
	os.Stderr.WriteString(err.Error() + "\n")
	os.Exit(125)
}

// launchedProgram is a program that runs behind Exec.
type launchedProgram struct {
	*exec.Cmd
	output bytes.Buffer
	order  Order
	done   chan error
}

// launchProgram starts a program as rank 0 under an order.
func launchProgram(t *testing.T, order Order, command ...string) *launchedProgram {
	t.Helper()
	order.Out = t.TempDir()
	file := filepath.Join(order.Out, "order.json")
	musttest.Succeed(t, order.Write(file))
	self := musttest.Get(os.Executable())(t)
	l := &launchedProgram{order: order, done: make(chan error, 1)}
	l.Cmd = exec.Command(self, append([]string{file}, command...)...)
	l.Env = append(os.Environ(), "INJECTOR_TEST_ROLE=exec", "PMI_RANK=0")
	l.Stdout, l.Stderr = &l.output, &l.output
	musttest.Succeed(t, l.Start())
	go func() { l.done <- l.Wait() }()
	t.Cleanup(l.kill)
	return l
}

func (l *launchedProgram) kill() {
	l.Process.Kill()
	if l.done != nil {
		<-l.done
	}
}

// waitExit waits for the program to end, and for its output.
func (l *launchedProgram) waitExit(t *testing.T) *os.ProcessState {
	t.Helper()
	select {
	case <-l.done:
		l.done = nil
	case <-time.After(60 * time.Second):
		t.Fatal("the program did not end")
	}
	skipWithoutPtrace(t, l.output.String())
	return l.ProcessState
}

// skipWithoutPtrace skips where the system forbids tracing.
func skipWithoutPtrace(t *testing.T, output string) {
	t.Helper()
	if bytes.Contains([]byte(output), []byte(ptrace.ErrNotPermitted.Error())) {
		t.Skip("tracing is not permitted here")
	}
}

// waitReport waits for the tracer's report.
func (l *launchedProgram) waitReport(t *testing.T) Report {
	t.Helper()
	var last error
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		r, err := l.order.ReadReport()
		if err == nil {
			return r
		}
		if last = err; !errors.Is(err, os.ErrNotExist) {
			break
		}
		if len(l.done) > 0 {
			skipWithoutPtrace(t, l.output.String())
		}
	}
	t.Fatalf("no report: %v", last)
	return Report{}
}
