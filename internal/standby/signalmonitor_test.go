package standby

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestWitness: a witness tells of each signal, takes none, and holds no file of this process's.
func TestWitness(t *testing.T) {
	w := musttest.Get(StartSignalMonitor([]string{"mpirun", "-np", "4"}))(t)
	defer w.Dismiss()
	proc := fmt.Sprintf("/proc/%d/", w.pid)
	want := []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGCONT, syscall.SIGTSTP, 40}
	var got []syscall.Signal
	for _, s := range want {
		musttest.Succeed(t, syscall.Kill(w.pid, s))
		eventually(t, s.String(), func() bool {
			for _, r := range w.TakeSignals() {
				got = append(got, r.Signal)
			}
			return slices.Contains(got, s)
		})
	}
	checktest.EqualList(t, want, got, "signals")
	eventually(t, "idle", func() bool { idle, there := w.IsIdle(); return idle && there })
	if files, err := os.ReadDir(proc + "fd"); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v; want its pipe and its signals", files, err)
	}
	_ = syscall.Kill(w.pid, syscall.SIGKILL)
	eventually(t, "its end", func() bool { _, there := w.IsIdle(); return !there })
}

// TestWitnessCommandLine: a witness shows the command line that it was given, also one that is longer than that of this
// process, as a launcher's is with the options that pass the environment on.
func TestWitnessCommandLine(t *testing.T) {
	long := []string{"mpirun"}
	for n := 0; n < len(strings.Join(os.Args, " ")); n += len(" -x LAGGARD_DIR") {
		long = append(long, "-x", "LAGGARD_DIR")
	}
	for _, line := range [][]string{{"mpirun", "-np", "4", "./app"}, append(long, "-np", "4", "./app")} {
		w := musttest.Get(StartSignalMonitor(line))(t)
		var got string
		eventually(t, "the command line", func() bool {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", w.pid))
			got = strings.ReplaceAll(strings.TrimRight(string(text), "\x00"), "\x00", " ")
			return got == strings.Join(line, " ")
		})
		w.Dismiss()
	}
}

// TestWitnessEnds: a witness ends with the process that started it.
func TestWitnessEnds(t *testing.T) {
	cmd, child := startParent(t, "", "witness")
	_ = cmd.Process.Kill()
	eventually(t, "the end of the witness", processGone(child))
}

func BenchmarkWitness(b *testing.B) {
	for b.Loop() {
		w := musttest.Get(StartSignalMonitor([]string{"cost"}))(b)
		w.Dismiss()
	}
}
