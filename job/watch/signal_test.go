package watch

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestSignals: an interrupt that no terminal sent to the whole group reaches the job.
func TestSignals(t *testing.T) {
	if inForeground() {
		t.Skip("a terminal's interrupt would reach the job by itself")
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		child := exec.Command("sleep", "60")
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		done, signals := make(chan error, 1), make(chan os.Signal, 1)
		go func() { done <- child.Wait() }()
		signals <- s
		w := &Watcher{PID: child.Process.Pid, Timeout: time.Minute, OnHang: Keep}
		if _, err := w.Until(done, signals); err == nil {
			t.Errorf("%v: the job ended by itself", s)
		}
		if got := child.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != s {
			t.Errorf("%v: the job got %v", s, got)
		}
	}
}
