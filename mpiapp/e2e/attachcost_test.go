//go:build e2e && long

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAttachMany looks at as many ranks as a large node has, each with an MPI of its own: 512, or LAGGARD_RANKS.
func TestAttachMany(t *testing.T) {
	ranks := 512
	if n, err := strconv.Atoi(os.Getenv("LAGGARD_RANKS")); err == nil {
		ranks = n
	}
	eachFamily(t, func(t *testing.T, f family) {
		if f.name != "mpich" {
			return // so many ranks of Open MPI do not come up on two processors in this time
		}
		env := f.environ(t)
		program := f.build(t, "asleep.c", "-O2")
		j := start(t, env, nil, append(f.command(ranks), program)...)
		for begin := time.Now(); asleep(t, env, program) < ranks; time.Sleep(5 * time.Second) {
			if j.ended() || time.Since(begin) > 10*time.Minute {
				t.Fatalf("%d ranks of %d have come up: %s", asleep(t, env, program), ranks, j.err.String())
			}
		}
		dir := filepath.Join(t.TempDir(), "run")
		cmd := exec.Command(filepath.Join(binaries(t), "laggard"), "attach", "-o", dir)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("attach: %v\n%s", err, out)
		}
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(ranks)
		t.Logf("%d ranks: %v of CPU each, %d MB: %s", ranks, cpu, used.Maxrss>>10, out)
		if cpu > 50*time.Millisecond || used.Maxrss > 1<<20 {
			t.Errorf("want 50 ms and 1024 MB")
		}
		if run := open(t, dir); len(run.Ranks) != ranks {
			t.Errorf("%d ranks are in the run directory, want %d", len(run.Ranks), ranks)
		}
	})
}

// asleep counts the processes of a program that have come to their sleep.
func asleep(t *testing.T, env []string, program string) (n int) {
	for _, pid := range processesOf(t, env, program) {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "wchan"))
		if strings.Contains(string(text), "nanosleep") {
			n++
		}
	}
	return n
}

// thermo are the lines of LAMMPS with results, and without times.
var thermo = regexp.MustCompile(`(?m)^ +\d+( +[-+\d.e]+){4,} *$`)

// TestAttachLAMMPS looks at LAMMPS with 16 ranks again and again: it prints what it prints without.
func TestAttachLAMMPS(t *testing.T) {
	f := families[0]
	run := func(look bool) (results string) {
		env := f.environ(t)
		args := append(f.command(16), "/usr/bin/lmp", "-log", "none", "-in", crackInput)
		begin := time.Now()
		j := start(t, env, nil, args...)
		for look && !j.ended() {
			time.Sleep(500 * time.Millisecond)
			pids := processesOf(t, env, "/usr/bin/lmp")
			if len(pids) < 16 {
				continue
			}
			args := []string{filepath.Join(binaries(t), "laggard"), "attach", "-o", filepath.Join(t.TempDir(), "run")}
			t.Log(strings.TrimSpace(output(t, env, byPID(args, pids)...).stdout))
		}
		got := j.wait()
		if got.status != 0 {
			t.Fatalf("LAMMPS: %+v", got)
		}
		t.Logf("looked at: %v, %v", look, time.Since(begin).Round(time.Second))
		return strings.Join(thermo.FindAllString(got.stdout, -1), "\n")
	}
	plain := run(false)
	if plain == "" {
		t.Fatal("LAMMPS printed no results")
	}
	if seen := run(true); seen != plain {
		t.Errorf("LAMMPS prints other results when it is looked at:\n%s\nwant\n%s", seen, plain)
	}
}
