//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHangs lets every program hang and asks for the diagnosis twice: of the
// hung job, and again after all its ranks have been killed.
func TestHangs(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for i, s := range hangs {
			if !f.takes(i) {
				continue
			}
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				f.hang(t, s, "-O0")
			})
		}
	})
}

// TestBlocked does the same with the calls that block in other ways.
func TestBlocked(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for i, s := range blocking {
			if !s.takenBy(f, i) {
				continue
			}
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				f.hang(t, s, "-O0")
			})
		}
	})
}

// TestHangsOptimised does the same with programs whose frames are folded,
// reordered and without frame pointers.
func TestHangsOptimised(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for i, s := range hangs {
			if !s.optimised || !f.takes(i+1) { // at -O0 it is on the other
				continue
			}
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				f.hang(t, s, append([]string{"-O2"}, s.flags...)...)
			})
		}
	})
}

func (f family) hang(t *testing.T, s scenario, flags ...string) {
	program := f.build(t, s.source, flags...)
	env := f.environ(t)
	dir := filepath.Join(t.TempDir(), "run")
	j := f.recorded(t, dir, env, s.size(), nil, program, s.mode)
	j.awaitHang()
	if j.ended() {
		t.Fatalf("--on-hang keep has ended the job\n%s", j.err.String())
	}
	s.check(t, "hung", diagnose(t, env, dir))
	signalRanks(open(t, dir), syscall.SIGKILL)
	if got, byItself := j.waitOrEnd(15 * time.Second); byItself && got.status != 3 {
		t.Errorf("exit status %d with --exit-code after a hang, want 3", got.status)
	}
	s.check(t, "killed", diagnose(t, env, dir))
	s.checkSlice(t, env, dir)
}

// awaitHang waits until laggard run says that the job hangs.
func (j *job) awaitHang() {
	j.t.Helper()
	j.eventually("a hang", func() bool { return j.ended() || strings.Contains(j.err.String(), "makes no progress") })
}

// TestFrozen stops a rank as a broken node would. A stopped rank says nothing
// of its death, and so it is missed after the others have been killed as well.
func TestFrozen(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.build(t, frozen.source)
		env := f.environ(t)
		dir := filepath.Join(t.TempDir(), "run")
		j := f.recorded(t, dir, env, frozen.size(), nil, program, frozen.mode)
		j.awaitHang()
		frozen.check(t, "frozen", diagnose(t, env, dir))
		time.Sleep(4 * time.Second) // its silence must be longer than chance would have it
		signalRanks(open(t, dir), syscall.SIGKILL)
		j.wait()
		frozen.check(t, "killed", diagnose(t, env, dir))
	})
}

// TestOnHang leaves the job to laggard run: it must end it, and what it left
// must give the same answer as the hung job did. A stopped rank goes on when the
// launcher ends the job, and others may then do so too.
func TestOnHang(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, s := range []scenario{scenarioOf(t, "before_collective.c"), scenarioOf(t, "halo.c"), frozen} {
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				f.endedByRun(t, s)
			})
		}
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

func (f family) endedByRun(t *testing.T, s scenario) {
	program := f.build(t, s.source, "-O0")
	env := f.environ(t)
	dir := filepath.Join(t.TempDir(), "run")
	args := append([]string{filepath.Join(binaries(t), "laggard"), "run", "-o", dir, "--timeout",
		standstill(2 * time.Second), "--"}, f.command(s.size())...)
	j := start(t, env, nil, append(args, program, s.mode)...)
	got := j.wait()
	if got.status == 0 {
		t.Errorf("a job that was ended has exit status 0")
	}
	_, said, _ := strings.Cut(got.stderr, "makes no progress\n\n")
	said, _, _ = strings.Cut(said, "\nlaggard: ending the job")
	for _, want := range []string{"least progressed", s.function[0], s.source} {
		if !strings.Contains(said, want) {
			t.Errorf("the diagnosis on stderr does not say %q:\n%s", want, got.stderr)
		}
	}
	after := output(t, env, filepath.Join(binaries(t), "laggard"), "diagnose", dir)
	if diff := cmp.Diff(said, after.stdout); diff != "" {
		t.Errorf("what is said afterwards is not what was said:\n%s", diff)
	}
	s.check(t, "ended", diagnose(t, env, dir))
}
