//go:build e2e

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"laggard/internal/checktest"
	"laggard/model/runfiles"
)

// TestHangs lets every program hang and asks for the diagnosis twice: of the
// hung job, and again after all its ranks have been killed.
func TestHangs(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, selectCases(f, hangs), func(t *testing.T, s scenario) { f.checkHang(t, s, "-O0") })
	})
}

// TestBlocked does the same with the calls that block in other ways.
func TestBlocked(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for i, s := range blocking {
			if !s.runsAsCase(f, i) {
				continue
			}
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				f.checkHang(t, s, "-O0")
			})
		}
	})
}

// TestHungStatus: a job that laggard ended does not end with 0, even if its launcher says that all is well.
func TestHungStatus(t *testing.T) {
	t.Parallel()
	f, s := families[0], hangs[0]
	program, env := f.buildProgram(t, s.source, "-O0"), f.runEnvironment(t)
	args := []string{laggardPath(t), "run", "-o", filepath.Join(t.TempDir(), "run"), "--timeout", standstillTimeout(3e9), "--",
		"sh", "-c", `trap : TERM; "$@"; exit 0`, "sh"}
	args = append(append(args, f.launchCommand(s.rankCount())...), program, s.mode)
	got := startJob(t, env, nil, args...).wait()
	checktest.Equal(t, 128+int(syscall.SIGTERM), got.status, got.stderr)
}

// TestHangsOptimised does the same with programs whose frames are folded,
// reordered and without frame pointers.
func TestHangsOptimised(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for i, s := range hangs {
			if !s.optimised || !f.runsCase(i+1) { // at -O0 it is on the other
				continue
			}
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				f.checkHang(t, s, append([]string{"-O2"}, s.flags...)...)
			})
		}
	})
}

func (f family) checkHang(t *testing.T, s scenario, flags ...string) {
	j, env, dir := f.record(t, s.rankCount(), f.buildProgram(t, s.source, flags...), s.mode)
	j.awaitHang()
	j.yieldToOthers()
	if j.hasEnded() {
		t.Fatalf("--on-hang keep has ended the job\n%s", j.err.String())
	}
	s.checkDiagnosis(t, "hung", runDiagnose(t, env, dir))
	signalRanks(openRun(t, dir), syscall.SIGKILL)
	if got, byItself := j.waitOrEnd(15 * time.Second); byItself && got.status != 3 {
		t.Errorf("exit status %d with --exit-code after a hang, want 3", got.status)
	}
	s.checkDiagnosis(t, "killed", runDiagnose(t, env, dir))
	s.checkSlice(t, env, dir)
}

// awaitHang waits until laggard run says that the job hangs.
func (j *job) awaitHang() {
	j.t.Helper()
	j.eventually("a hang", func() bool { return j.hasEnded() || strings.Contains(j.err.String(), "makes no progress") })
}

// yieldToOthers gives the ranks of a hung job, the processes without children, the lowest priority: they spin for nothing, while other
// jobs start.
func (j *job) yieldToOthers() {
	tree := descendants(j.cmd.Process.Pid)
	for i, pid := range tree {
		if len(descendants(pid)) == 1 && i > 0 {
			_ = unix.Setpriority(unix.PRIO_PROCESS, pid, 19)
		}
	}
}

// TestFrozen stops a rank as a broken node would. A stopped rank says nothing
// of its death, and so it is missed after the others have been killed as well.
func TestFrozen(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		j, env, dir := f.record(t, frozen.rankCount(), f.buildProgram(t, frozen.source), frozen.mode)
		j.awaitHang()
		frozen.checkDiagnosis(t, "frozen", runDiagnose(t, env, dir))
		j.eventually("a silence that is longer than chance would have it", func() bool { return isSilent(dir, frozen.least[0]) })
		signalRanks(openRun(t, dir), syscall.SIGKILL)
		j.wait()
		frozen.checkDiagnosis(t, "killed", runDiagnose(t, env, dir))
	})
}

// isSilent reports whether a rank has said nothing for 4 s, while another has.
func isSilent(dir string, rank int) bool {
	run, err := runfiles.Open(dir)
	if err != nil {
		return false
	}
	var latest, itself time.Time
	for _, r := range run.Ranks {
		if r.Heartbeat.After(latest) {
			latest = r.Heartbeat
		}
		if r.Rank == rank {
			itself = r.Heartbeat
		}
	}
	return latest.Sub(itself) > 4*time.Second
}

// TestOnHang leaves the job to laggard run: it must end it, and what it left
// must give the same answer as the hung job did. A stopped rank goes on when the
// launcher ends the job, and others may then do so too.
func TestOnHang(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, []scenario{scenarioOf(t, "before_collective.c"), scenarioOf(t, "halo.c"), frozen}, f.checkEndedByRun)
	})
}

func scenarioOf(t *testing.T, source string) scenario {
	for _, s := range hangs {
		if s.source == source {
			return s
		}
	}
	t.Fatalf("no scenario of %s", source)
	return scenario{}
}

func (f family) checkEndedByRun(t *testing.T, s scenario) {
	program := f.buildProgram(t, s.source, "-O0")
	env := f.runEnvironment(t)
	dir := filepath.Join(t.TempDir(), "run")
	flags := []string{"--timeout", standstillTimeout(2 * time.Second)}
	got := startJob(t, env, nil, f.underRun(t, dir, flags, s.rankCount(), program, s.mode)...).wait()
	if got.status == 0 {
		t.Errorf("a job that was ended has exit status 0")
	}
	_, said, _ := strings.Cut(got.stderr, "makes no progress\n\n")
	said, _, _ = strings.Cut(said, "\nlaggard: ending the job")
	checktest.Contains(t, said, "least progressed", s.function[0], s.source)
	after := runLaggard(t, env, "diagnose", dir)
	next := regexp.MustCompile(`(?m)^Next.*$`) // depends on whether the process exists
	if diff := cmp.Diff(next.ReplaceAllString(said, ""), next.ReplaceAllString(after.stdout, "")); diff != "" {
		t.Errorf("what is said afterwards is not what was said:\n%s", diff)
	}
	s.checkDiagnosis(t, "ended", runDiagnose(t, env, dir))
}
