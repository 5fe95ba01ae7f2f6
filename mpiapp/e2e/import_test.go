//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"laggard/internal/musttest"
)

// debuggers write the stacks of a process in their ways.
var debuggers = map[string]func(pid string) []string{
	"eu-stack":       func(pid string) []string { return []string{"eu-stack", "-p", pid} },
	"eu-stack -b -m": func(pid string) []string { return []string{"eu-stack", "-b", "-m", "-s", "-p", pid} },
	"gdb": func(pid string) []string {
		return []string{"gdb", "-batch", "-p", pid, "-ex",
			"thread apply all bt"}
	},
}

// TestImport has the ranks of a hung job written down by debuggers, and imports
// that. With the models of a healthy run or without, the rank is found that the
// others wait for, as it is outside MPI.
func TestImport(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := scenarioOf(t, "before_collective.c")
		program := f.buildProgram(t, s.source, "-O1")
		env := f.runEnvironment(t)
		healthy, hung := filepath.Join(t.TempDir(), "healthy"), filepath.Join(t.TempDir(), "hung")
		f.startRecorded(t, healthy, env, s.rankCount(), nil, program, "ok").wait().mustSucceed(t)
		j := f.startRecorded(t, hung, env, s.rankCount(), nil, program, s.mode)
		j.awaitHang()
		for name, command := range debuggers {
			if _, err := exec.LookPath(command("")[0]); err != nil {
				t.Logf("%s is not there", command("")[0])
				continue
			}
			texts := t.TempDir()
			for _, r := range openRun(t, hung).Ranks {
				text := stacksBy(t, command(strconv.Itoa(r.PID)))
				musttest.Succeed(t, os.WriteFile(filepath.Join(texts, fmt.Sprintf("rank-%d.txt", r.Rank)), text, 0o600))
			}
			s.checkImported(t, name, env, texts)
			s.checkImported(t, name+", with models", env, texts, "--healthy", healthy)
		}
	})
}

// stacksBy returns what a debugger prints of a process. On a busy machine eu-stack may miss a thread; then it is asked again.
func stacksBy(t *testing.T, command []string) (text []byte) {
	t.Helper()
	var err error
	for range 5 {
		if text, err = exec.Command(command[0], command[1:]...).Output(); bytes.Contains(text, []byte(" main")) {
			return text
		}
	}
	t.Fatalf("%v: no function main: %v\n%s", command, err, text)
	return nil
}

// checkImported imports the texts and checks the diagnosis.
func (s scenario) checkImported(t *testing.T, when string, env []string, texts string, flags ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	args := append([]string{laggardPath(t), "import", "-o", dir}, append(flags, texts)...)
	runCommand(t, env, args...).mustSucceed(t)
	a := runDiagnose(t, env, dir)
	if !a.Hang || a.Ranks != s.rankCount() || a.LeastProgressed == nil || a.LeastProgressed.Set != fmt.Sprint(s.least[0]) {
		t.Errorf("%s: %+v", when, a)
	}
	for _, g := range a.Groups {
		if g.State.Kind == "communication" && g.State.MPI != "MPI_Allreduce" {
			t.Errorf("%s: ranks %s are in %q", when, g.Ranks, g.State.MPI)
		}
	}
}
