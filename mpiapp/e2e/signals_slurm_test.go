//go:build e2e && slurm

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"laggard/internal/musttest"
)

// TestSignalsSlurm is TestSignalsReach for srun in a batch job. Slurm sends signals to the processes of the step, or to
// those of the batch script as well, one by one.
func TestSignalsSlurm(t *testing.T) {
	c := newCluster(t)
	f := installedFamilies()[0]
	program := f.buildProgram(t, "signalled.c", "-O2")
	cases := []signalCase{{unix.SIGTERM, "full", "run"}, {unix.SIGUSR1, "full", "run"}, {unix.SIGXCPU, "step", "exec"}}
	if runEverything() {
		cases = nil
		for _, s := range signalKinds {
			cases = append(cases, signalCase{s, "step", "run"}, signalCase{s, "full", "run"},
				signalCase{s, "step", "exec"}, signalCase{s, "full", "exec"})
		}
	}
	for _, sent := range cases {
		t.Run(sent.String(), func(t *testing.T) {
			compareEffects(t, func(with bool) effect { return c.signalledEffect(t, f, sent, program, with) })
		})
	}
}

// batchScript says how a command ended, though signals come to the script as well.
const batchScript = `#!/bin/sh
trap : HUP INT QUIT USR1 USR2 TERM XCPU
%s
echo "status $?"
`

func (c *cluster) signalledEffect(t *testing.T, f family, sent signalCase, program string, with bool) effect {
	dir := t.TempDir()
	laggard, run, out := laggardPath(t), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "out")
	command, ranks := []string{"srun", "--nodes=1", "--ntasks=2"}, []string{program, dir}
	switch {
	case with && sent.by == "run":
		command = append([]string{laggard, "run", "-o", run, "--"}, command...)
	case with:
		ranks = append([]string{laggard, "exec", "-o", run, "--"}, ranks...)
	}
	script := filepath.Join(t.TempDir(), "script")
	musttest.Succeed(t, os.WriteFile(script, fmt.Appendf(nil, batchScript, strings.Join(slices.Concat(command, ranks), " ")), 0o700))
	id := musttest.Get(c.runAsUser("sbatch", "--parsable", "--nodes=1", "--ntasks=2", "--error=/dev/null", "--output="+out, script))(t)
	id = strings.TrimSpace(id)
	text := func() string { text, _ := os.ReadFile(out); return string(text) }
	ended := func() bool { return strings.Contains(text(), "status ") }
	c.eventually(t, "both ranks", func() bool {
		names, _ := filepath.Glob(filepath.Join(dir, "rank.*"))
		return len(names) == 2 || ended()
	})
	c.sendSlurm(t, sent, id, sent.signal)
	e := effect{}
	if sent.signal == unix.SIGTSTP {
		awaitSettled(t, dir, ended)
		c.sendSlurm(t, sent, id, unix.SIGCONT)
	}
	awaitSettled(t, dir, ended)
	if with && sent.by == "exec" && !ended() && exec.Command("pgrep", "-f", "laggard watch .* "+run+"$").Run() != nil {
		t.Errorf("%s: nobody watches the job any more", sent)
	}
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "stop"), nil, 0o600))
	c.eventually(t, "the end of job "+id, ended)
	e.stdout, e.ended, _ = strings.Cut(text(), "status ")
	e.files = writtenByRanks(t, dir)
	return e
}

func (c *cluster) sendSlurm(t *testing.T, sent signalCase, id string, s syscall.Signal) {
	t.Helper()
	args := []string{"scancel", fmt.Sprintf("--signal=%d", s)}
	if sent.to == "full" {
		args = append(args, "--full", id)
	} else {
		args = append(args, id+".0")
	}
	musttest.Get(c.runAsUser(args...))(t)
}
