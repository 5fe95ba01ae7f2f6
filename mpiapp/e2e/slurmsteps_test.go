//go:build e2e && slurm

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// TestSlurmSteps does to the step of a healthy job what users and Slurm do to it.
func TestSlurmSteps(t *testing.T) {
	c := newCluster(t)
	t.Run("suspended", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) {
			if f.name == "mpich" {
				return // its MPI_Finalize over several nodes stands still after it, without laggard as well (UCX over TCP)
			}
			t.Parallel()
			c.checkSuspended(t, f)
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) { t.Parallel(); c.checkStepCancelled(t, f) })
	})
}

// stepJob is a job of one step under laggard run.
type stepJob struct {
	c            *cluster
	id, run, out string
}

// submitStep submits a job that runs a command on all nodes under laggard run, and waits until its ranks run.
func (c *cluster) submitStep(t *testing.T, f family, timeout time.Duration, program ...string) stepJob {
	t.Helper()
	dir := t.TempDir()
	s := stepJob{c: c, run: filepath.Join(dir, "run"), out: filepath.Join(dir, "out")}
	command := slices.Concat([]string{laggardPath(t), "run", "-o", s.run, "--timeout",
		timeout.String(), "--"}, f.srunCommand(), program)
	script := filepath.Join(dir, "script")
	musttest.Succeed(t, os.WriteFile(script, []byte("#!/bin/sh\n"+strings.Join(command, " ")+"\necho \"status $?\"\n"), 0o700))
	id := musttest.Get(c.runAsUser(slices.Concat([]string{"sbatch", "--parsable", "--output=" + s.out}, onNodes, []string{script})...))(t)
	s.id = strings.TrimSpace(id)
	c.eventually(t, "all ranks of job "+s.id, func() bool {
		r, _ := runfiles.Open(s.run)
		return s.hasEnded() || r != nil && len(r.Ranks) == 8 &&
			!slices.ContainsFunc(r.Ranks, func(r *model.Rank) bool { return r.Phase != model.Running })
	})
	return s
}

// text is what the job has printed.
func (s stepJob) text() string {
	text, _ := os.ReadFile(s.out)
	return string(text)
}

func (s stepJob) hasEnded() bool { return strings.Contains(s.text(), "status ") }

// checkSuspended: the time for which Slurm suspends a job does not count.
func (c *cluster) checkSuspended(t *testing.T, f family) {
	const timeout = 2 * interruptTimeout
	s := c.submitStep(t, f, timeout, f.buildProgram(t, "longcalls.c", "-O2"), "write", "10")
	musttest.Get(c.runAsUser("scontrol", "suspend", s.id))(t)
	time.Sleep(timeout + interruptTimeout)
	musttest.Get(c.runAsUser("scontrol", "resume", s.id))(t)
	c.eventually(t, "the end of job "+s.id, s.hasEnded)
	if text := s.text(); !strings.HasSuffix(text, "done\nstatus 0\n") || strings.Contains(text, "ending the job") {
		t.Errorf("the job was not left alone:\n%s", text)
	}
}

// checkStepCancelled: scancel kills all ranks of a step, one after the other, and no rank is certainly to blame for it.
func (c *cluster) checkStepCancelled(t *testing.T, f family) {
	s := c.submitStep(t, f, time.Hour, f.buildProgram(t, "howends.c", "-O0"), "stay", "2", "0")
	musttest.Get(c.runAsUser("scancel", s.id+".0"))(t)
	c.eventually(t, "the end of job "+s.id, s.hasEnded)
	h := jobEnding{want: nobody}
	a := runDiagnose(t, c.env, s.run)
	if problem := h.diagnosisProblem(a, s.run); problem != "" {
		t.Errorf("%s\nended %+v\nleast %+v\ncause %+v\nlost %v\n%s", problem, a.Ended, a.LeastProgressed, a.Cause, a.Lost, s.text())
	}
}
