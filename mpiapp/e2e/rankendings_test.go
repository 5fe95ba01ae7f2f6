//go:build e2e && long

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
)

// ending is a way in which a rank goes away or stands still, and how often it must
// be named alone: by laggard run when it happens, and by diagnose when all is over.
type ending struct {
	how    string
	signal syscall.Signal // sent from outside; 0: the program does it
	goal   float64
}

var (
	killed   = ending{"killed", syscall.SIGKILL, 0.97}
	stopped  = ending{"stopped", syscall.SIGSTOP, 1}
	byItself = func(how string) ending { return ending{how, 0, 1} }
)

// leavingProgram is a program of which a rank shall end at some moment; with its ranks.
type leavingProgram struct {
	name, source string
	ranks        int
	endings      []ending
	families     []string
}

var leavers = []leavingProgram{
	{"departs.c", "departs.c", 8, []ending{killed, stopped, byItself("exit"), byItself("_exit"), byItself("abort"),
		byItself("mpiabort"), byItself("segv")}, []string{"openmpi", "mpich"}},
	{"departs.c", "departs.c", 32, []ending{killed, stopped}, []string{"openmpi", "mpich"}},
	{"departs.py", "departs.py", 4, []ending{killed, stopped, byItself("sys.exit"), byItself("os._exit"),
		byItself("os.abort"), byItself("Abort")}, []string{"openmpi"}},
	{"LAMMPS crack", "", 4, []ending{killed, stopped}, []string{"openmpi"}},
}

// score counts trials, and those in which the rank was named alone.
type score struct{ trials, said, after int }

// TestEnds lets a random rank of real programs end or stop at a random moment, as
// often as LAGGARD_TRIALS says for each way, with LAGGARD_SEED.
func TestEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(envNumber("LAGGARD_SEED", 16)), 1))
	trials := envNumber("LAGGARD_TRIALS", 3)
	eachFamily(t, func(t *testing.T, f family) {
		for _, l := range leavers {
			if !slices.Contains(l.families, f.name) {
				continue
			}
			for _, e := range l.endings {
				t.Run(fmt.Sprintf("%s-%d-%s", l.name, l.ranks, e.how), func(t *testing.T) {
					var s score
					for range trials {
						f.checkRankEnding(t, l, e, random, &s)
					}
					t.Logf("%s, %s, %d ranks, %s: said by run %d of %d, by diagnose afterwards %d of %d",
						l.name, f.name, l.ranks, e.how, s.said, s.trials, s.after, s.trials)
					if n := float64(s.trials); float64(s.said) < e.goal*n || float64(s.after) < e.goal*n {
						t.Errorf("less than %.2f", e.goal)
					}
				})
			}
		}
	})
}

func (f family) checkRankEnding(t *testing.T, l leavingProgram, e ending, random *rand.Rand, s *score) {
	victim, after := random.IntN(l.ranks), 200+random.IntN(1500)
	env := f.runEnvironment(t)
	dir := filepath.Join(t.TempDir(), "run")
	command := f.leavingCommand(t, l, e, victim, after)
	j := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "3s"}, l.ranks, command...)...)
	run := j.awaitRunning(dir, l.ranks)
	if e.signal != 0 {
		time.Sleep(time.Duration(after) * time.Millisecond)
		musttest.Succeed(t, syscall.Kill(run.Ranks[victim].PID, e.signal), "the job ended by itself", j.err.String())
	}
	got := j.wait()
	said := namesRank(got.stderr, victim)
	a := runDiagnose(t, env, dir)
	named := a.LeastProgressed != nil && slices.Equal(a.LeastProgressed.Ranks, []int{victim})
	s.trials++
	s.said += boolToInt(said)
	s.after += boolToInt(named)
	if !said || !named {
		t.Logf("rank %d, said %v, afterwards %+v, lost %v\n%s", victim, said, a.LeastProgressed, a.Lost, got.stderr)
	}
}

// leavingCommand is the command of the program.
func (f family) leavingCommand(t *testing.T, l leavingProgram, e ending, victim, after int) []string {
	how := e.how
	if e.signal != 0 {
		how = "stay"
	}
	words := []string{how, strconv.Itoa(victim), strconv.Itoa(after)}
	switch filepath.Ext(l.source) {
	case ".c":
		return append([]string{f.buildProgram(t, l.source, "-O2")}, words...)
	case ".py":
		return append(pythonCommand(t, l.source), words...)
	}
	if _, err := os.Stat("/usr/bin/lmp"); err != nil {
		t.Skip(err)
	}
	return []string{"/usr/bin/lmp", "-log", "none", "-in", longCrack(t)}
}

// TestBeforeInit: a rank that has not come to MPI_Init is there, is named, and its
// stack is shown.
func TestBeforeInit(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		env := f.runEnvironment(t)
		dir := filepath.Join(t.TempDir(), "run")
		const victim = 2
		got := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "3s"}, 4, f.buildProgram(t, "departs.c", "-O0"), "before",
			fmt.Sprint(victim), "0")...).wait()
		a := runDiagnose(t, env, dir)
		if a.LeastProgressed == nil || !slices.Equal(a.LeastProgressed.Ranks, []int{victim}) || len(a.Lost) > 0 {
			t.Fatalf("%+v, lost %v\n%s", a.LeastProgressed, a.Lost, got.stderr)
		}
		at := a.LeastProgressed.Locations
		stuck := func(f frame) bool { return f.Function == "await_licence" }
		if len(at) == 0 || !slices.ContainsFunc(at[0].Stack, stuck) {
			t.Errorf("%+v\n%s", at, got.stderr)
		}
	})
}

// TestSteady starts small programs again and again, as often as LAGGARD_TRIALS says
// for each MPI, beside LAGGARD_LOAD busy processes and a quarter as many that write
// to the disk: no job is ended and no rank is suspected, though a hang is noticed
// after five seconds.
func TestSteady(t *testing.T) {
	trials, load := envNumber("LAGGARD_TRIALS", 10), envNumber("LAGGARD_LOAD", 8)
	for i := range load {
		runBackground(t, `while :; do :; done`)
		if i%4 == 0 {
			runBackground(t, fmt.Sprintf(`while :; do dd if=/dev/zero of=%s bs=1M count=200 conv=fsync; done 2>/dev/null`,
				filepath.Join(t.TempDir(), "data")))
		}
	}
	eachFamily(t, func(t *testing.T, f family) {
		var small []scenario
		for _, s := range slices.Concat(hangs, blocking) {
			if s.runsOn(f) && !slices.ContainsFunc(small, func(o scenario) bool { return o.source == s.source }) {
				small = append(small, s)
			}
		}
		begin := time.Now()
		for i := range trials {
			s := small[i%len(small)]
			f.checkSteadyRun(t, s)
		}
		t.Logf("%s: %d healthy runs in %s", f.name, trials, time.Since(begin).Round(time.Second))
	})
}

func (f family) checkSteadyRun(t *testing.T, s scenario) {
	env := f.runEnvironment(t)
	dir := filepath.Join(t.TempDir(), "run")
	program := f.buildProgram(t, s.source, "-O0")
	got := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "5s"}, s.rankCount(), program, "ok")...).wait()
	a := runDiagnose(t, env, dir)
	if got.status != 0 || len(laggardLines(got.stderr)) != 1 || a.Hang || a.LeastProgressed != nil || len(a.Lost) > 0 {
		t.Errorf("%s: status %d, %+v\n%s", s.source, got.status, a, got.stderr)
	}
}

// runBackground runs a shell command beside the test, until its end.
func runBackground(t *testing.T, command string) {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	musttest.Succeed(t, c.Start())
	t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL); _ = c.Wait() })
}
