package standby

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestWitness: a witness tells of each signal, takes none, shows the command line that it was given, and holds no
// file of this process's.
func TestWitness(t *testing.T) {
	line := []string{"mpirun", "-np", "4"}
	w, err := StartSignalMonitor(line)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Dismiss()
	proc := fmt.Sprintf("/proc/%d/", w.pid)
	want := []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGCONT, syscall.SIGTSTP, 40}
	var got []syscall.Signal
	for _, s := range want {
		if err := syscall.Kill(w.pid, s); err != nil {
			t.Fatal(err)
		}
		eventually(t, s.String(), func() bool {
			for _, r := range w.TakeSignals() {
				got = append(got, r.Signal)
			}
			return slices.Contains(got, s)
		})
	}
	if !slices.Equal(got, want) {
		t.Errorf("signals %v, want %v", got, want)
	}
	eventually(t, "idle", func() bool { idle, there := w.IsIdle(); return idle && there })
	text, _ := os.ReadFile(proc + "cmdline")
	if got := strings.TrimRight(string(text), "\x00"); got != strings.Join(line, "\x00") {
		t.Errorf("command line %q", got)
	}
	if files, err := os.ReadDir(proc + "fd"); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v; want its pipe and its signals", files, err)
	}
	_ = syscall.Kill(w.pid, syscall.SIGKILL)
	eventually(t, "its end", func() bool { _, there := w.IsIdle(); return !there })
}

// TestWitnessEnds: a witness ends with the process that started it.
func TestWitnessEnds(t *testing.T) {
	cmd, child := startParent(t, "", "witness")
	_ = cmd.Process.Kill()
	eventually(t, "the end of the witness", processGone(child))
}

func BenchmarkWitness(b *testing.B) {
	for b.Loop() {
		w, err := StartSignalMonitor([]string{"cost"})
		if err != nil {
			b.Fatal(err)
		}
		w.Dismiss()
	}
}
