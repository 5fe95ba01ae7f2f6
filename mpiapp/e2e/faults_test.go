//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// faultCase is how a rank of faults.c deals with a fault or an alarm, or dies of one, and what must be said of it.
type faultCase struct {
	how     string
	hangs   bool   // laggard ends it: it is no death
	several bool   // other ranks may do the same
	says    string // part of the reason
	ended   string // by what, where it was ended from outside or by an alarm
	at      string // a function in the stack of the rank
	unsaid  string // what must not be said
	short   bool
}

const faultsVictim = "2"

var faultCases = []faultCase{
	{how: "checkpoint", hangs: true, at: "iterate_for_ever", unsaid: "SIGSEGV", short: true},
	{how: "probe", hangs: true, at: "iterate_for_ever", unsaid: "SIGSEGV", short: true},
	{how: "watchdog", ended: "alarm", unsaid: "error", short: true},
	{how: "watchdog-one", ended: "alarm", unsaid: "error"},
	{how: "watchdog-abort", ended: "alarm", unsaid: "error", short: true},
	{how: "callback", says: "exited with status 7 from a handler or another callback of the program", several: true, unsaid: "error",
		short: true},
	{how: "error", says: " and ended the job: ", short: true},
	{how: "overflow", says: "SIGSEGV", short: true}, // UCX sets an alternate stack
	{how: "overflow-array", says: "SIGSEGV"},
	{how: "overflow-caught", says: "SIGSEGV"},
	{how: "overflow-worker", says: "killed by SIGSEGV, as the exit status of the launcher says"},
	{how: "overflow-thread", says: "killed by SIGSEGV, as the exit status of the launcher says"},
}

// TestFaults has a program deal with faults and alarms by itself, and overflow its stack. What came of it is told, and of the
// program in which all goes well nothing is.
func TestFaults(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "faults.c", "-O1", "-fno-optimize-sibling-calls")
		for _, c := range faultCases {
			if c.short || runEverything() {
				t.Run(c.how, func(t *testing.T) { f.checkFault(t, c, program) })
			}
		}
	})
}

func (f family) checkFault(t *testing.T, c faultCase, program string) {
	a, _ := f.diagnoseFault(t, program, c.how, faultsVictim)
	l, said := a.LeastProgressed, ""
	if l != nil {
		said = l.Reason
	}
	for _, failure := range a.Failures {
		said += failure.Reason
	}
	switch {
	case !c.several && (l == nil || l.Set != faultsVictim):
		t.Fatalf("named %+v, want rank %s; ended %+v, losses %+v", l, faultsVictim, a.Ended, a.Losses)
	case !strings.Contains(said, c.says):
		t.Errorf("it is said %q, want %q in it", said, c.says)
	case c.unsaid != "" && strings.Contains(said, c.unsaid):
		t.Errorf("it is said %q, in which %q must not be", said, c.unsaid)
	case c.hangs && len(a.Losses) > 0:
		t.Errorf("losses of ranks that live: %+v", a.Losses)
	case (a.Ended == nil) != (c.ended == "") || a.Ended != nil && a.Ended.By != c.ended:
		t.Errorf("ended %+v, want %q", a.Ended, c.ended)
	}
	in := func(fr frame) bool { return fr.Function == c.at }
	if c.at != "" && !slices.ContainsFunc(l.Locations, func(at location) bool { return slices.ContainsFunc(at.Stack, in) }) {
		t.Errorf("it is at %+v, want %s", l.Locations, c.at)
	}
	a, got := f.diagnoseFault(t, program, c.how, "-1")
	if a.Hang || a.Ended != nil || len(a.Losses) > 0 || a.LeastProgressed != nil || !strings.Contains(got.stdout, c.how+": end") {
		t.Errorf("of the program in which nothing is wrong: %+v, %+v, %+v, %q", a.Ended, a.Losses, a.LeastProgressed, got.stdout)
	}
}

func (f family) diagnoseFault(t *testing.T, program, how, victim string) (*diagnosisJSON, outcome) {
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	got := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "8s"}, 4, program, how, victim)...).wait()
	return runDiagnose(t, env, dir), got
}

// TestEndedByParent: what ends the ranks and stands between them and the launcher is named, and is not called the launcher.
func TestEndedByParent(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
		command := []string{"timeout", strconv.Itoa(3), f.buildProgram(t, "howends.c", "-O0"), "stay", "2", "700"}
		startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "30s"}, 2, command...)...).wait()
		a := runDiagnose(t, env, dir)
		if a.Ended == nil || a.Ended.By != "parent" || !strings.Contains(a.Ended.Sender, "(timeout)") {
			t.Errorf("ended %+v", a.Ended)
		}
		dir = filepath.Join(t.TempDir(), "run")
		j := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "30s"}, 2, command[2:]...)...)
		j.awaitRunning(dir, 2)
		sendSignalTo(15, launcherProcesses)(nil, j)
		j.wait()
		if a := runDiagnose(t, env, dir); a.Ended == nil || a.Ended.By == "parent" {
			t.Errorf("ended by the launcher: %+v", a.Ended)
		}
	})
}
