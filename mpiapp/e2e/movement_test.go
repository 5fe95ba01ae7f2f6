//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
)

// movementJSON is the part of the JSON form of laggard movement that is looked at.
type movementJSON struct {
	Chains     int
	Notes      []string
	Links      struct{ Sends, LinkedSends int }
	Violations []struct {
		Abnormality float64
		Instances   int
		Ranks       string
		Locations   []moveSite
	}
	Outliers []struct {
		Rank      int
		Locations []moveSite
	}
}

type moveSite struct {
	Role, Function string
	Line           int
}

// runMovement analyses run directories with the flags and returns the findings.
func runMovement(t *testing.T, args ...string) movementJSON {
	t.Helper()
	o := runCommand(t, os.Environ(), append([]string{laggardPath(t), "movement", "--json"},
		args...)...)
	o.mustSucceed(t, "movement", args)
	var m movementJSON
	text := strings.NewReplacer(`"linked_sends"`, `"LinkedSends"`).Replace(o.stdout)
	musttest.Succeed(t, json.Unmarshal([]byte(text), &m))
	return m
}

// transport is a way for messages that the cases are recorded over.
type transport struct {
	name, family string
	flags        []string
}

var transports = []transport{
	{"openmpi-tcp", "openmpi", []string{"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca",
		"btl_tcp_if_include", "lo"}},
	{"openmpi-shm", "openmpi", []string{"--mca", "pml", "ob1", "--mca", "btl", "vader,self"}},
	{"mpich", "mpich", nil},
}

// eachTransport runs a test over each that the machine has.
func eachTransport(t *testing.T, test func(t *testing.T, f family, flags []string)) {
	for _, f := range installedFamilies() {
		for _, way := range transports {
			if way.family == f.name {
				t.Run(strings.Replace(way.name, f.name, f.String(), 1), func(t *testing.T) { test(t, f, way.flags) })
			}
		}
	}
}

const moveRanks = 6

// recordMoves runs a program to its end, or for a while if it hangs, and returns
// the run directory.
func recordMoves(t *testing.T, f family, flags []string, hangs time.Duration, args ...string) string {
	t.Helper()
	return recordMovesOf(t, f, flags, moveRanks, hangs, args...)
}

func recordMovesOf(t *testing.T, f family, flags []string, ranks int, hangs time.Duration, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	f.launcher = slices.Concat(f.launcher, flags)
	j := startJob(t, f.runEnvironment(t), nil, f.underRun(t, dir, []string{"--record", "movement", "--on-hang", "keep"}, ranks, args...)...)
	if hangs > 0 {
		j.eventually("the resending", func() bool { return waitsInBarrier(dir) })
		time.Sleep(hangs)
		j.killTree() // by SIGKILL: what was recorded must be there all the same
		return dir
	}
	j.wait().mustSucceed(t)
	return dir
}

// waitsInBarrier reports whether a rank that is connected waits in a barrier.
func waitsInBarrier(dir string) bool {
	out, err := exec.Command("../../bin/laggard", "diagnose", "--no-slice", "--json", dir).Output()
	return err == nil && strings.Contains(string(out), "MPI_Barrier")
}

func buildMove(t *testing.T, f family, source string) string {
	t.Helper()
	return f.buildProgram(t, source, "-O1", "-fno-builtin-memcpy", "-w")
}

// TestBrokenChains has the faults that break a chain: the faulty one is ranked
// first and the line that was passed over is named; its healthy twin shows
// nothing, and trained with it the fault is still there.
func TestBrokenChains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, missing string
		instances       int // per rank
	}{
		{"move_piggyback.c", "send_message", 10},
		{"move_header.c", "main", 6},
		{"move_halo.c", "pack", 10},
	} {
		t.Run(c.source, func(t *testing.T) {
			eachTransport(t, func(t *testing.T, f family, flags []string) {
				program := buildMove(t, f, c.source)
				good := recordMoves(t, f, flags, 0, program)
				bad := recordMoves(t, f, flags, 0, program, "bad")
				if m := runMovement(t, good); len(m.Violations)+len(m.Outliers) > 0 || m.Chains == 0 ||
					m.Links.LinkedSends != m.Links.Sends {
					t.Errorf("the healthy twin: %+v", m)
				}
				for _, args := range [][]string{{bad}, {"--train", good, bad}} {
					m := runMovement(t, args...)
					if len(m.Outliers) > 0 || len(m.Violations) == 0 {
						t.Fatalf("%v: %+v", args, m)
					}
					v := m.Violations[0]
					if v.Instances != c.instances*moveRanks || v.Ranks != "0-5" || v.Locations[0].Role != "missing" ||
						v.Locations[0].Function != c.missing {
						t.Errorf("%v: first is %+v", args, v)
					}
				}
			})
		})
	}
}

// TestStale has programs in the style of real ones, with retries and time-outs in the
// healthy twin too: what is sent or taken a second time is found, and what was forgotten.
func TestStale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, fault, missing string }{
		{"move_particles.c", "tag", "pack"},
		{"move_blocks.c", "stale", "pack"},
		{"move_blocks.c", "slot", "pack"},
		{"move_mailbox.c", "slot", "take"},
	} {
		t.Run(c.source+" "+c.fault, func(t *testing.T) {
			t.Parallel()
			eachTransport(t, func(t *testing.T, f family, flags []string) {
				program := buildMove(t, f, c.source)
				if m := runMovement(t, recordMoves(t, f, flags, 0, program)); len(m.Violations)+len(m.Outliers) > 0 {
					t.Errorf("the healthy twin: %+v", m)
				}
				m := runMovement(t, recordMoves(t, f, flags, 0, program, c.fault))
				if len(m.Outliers) > 0 || len(m.Violations) == 0 || m.Violations[0].Locations[0].Role != "missing" ||
					m.Violations[0].Locations[0].Function != c.missing {
					t.Errorf("%+v", m)
				}
			})
		})
	}
}

// TestDeaf has one rank that posts all letters again, so that the next is unlike the
// others too.
func TestDeaf(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, f family, flags []string) {
		m := runMovement(t, recordMoves(t, f, flags, 0, buildMove(t, f, "move_mailbox.c"), "deaf"))
		if len(m.Outliers) != 1 || m.Outliers[0].Rank != moveRanks/2 {
			t.Errorf("%+v", m)
		}
	})
}

// TestResender has one rank of 64 that resends for ever; it is killed with its
// job. MPICH spins where it waits, so there it is one of six, and without LAGGARD_ALL one of sixteen is enough.
func TestResender(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, f family, flags []string) {
		ranks := 64
		switch {
		case f.name == "mpich":
			ranks = moveRanks
		case !runEverything():
			ranks = 16
		}
		program := buildMove(t, f, "move_connect.c")
		if m := runMovement(t, recordMovesOf(t, f, flags, ranks, 0, program)); len(m.Violations)+len(m.Outliers) > 0 {
			t.Errorf("the healthy twin: %+v", m)
		}
		m := runMovement(t, recordMovesOf(t, f, flags, ranks, 8*time.Second, program, "bad"))
		if len(m.Outliers) == 0 || m.Outliers[0].Rank != ranks*2/3 {
			t.Fatalf("%+v", m)
		}
		named := false
		for _, l := range m.Outliers[0].Locations {
			named = named || l.Function == "post_packet"
		}
		if !named {
			t.Errorf("the resending send is not named: %+v", m.Outliers[0])
		}
	})
}

// TestMaster has a rank of another kind, which is no alarm once it is left out or
// known, and a worker that is wrong.
func TestMaster(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, f family, flags []string) {
		program := buildMove(t, f, "move_workers.c")
		good := recordMoves(t, f, flags, 0, program)
		again := recordMoves(t, f, flags, 0, program)
		bad := recordMoves(t, f, flags, 0, program, "bad")
		for _, args := range [][]string{{"--ranks", "1-5", good}, {"--train", good, again}} {
			if m := runMovement(t, args...); len(m.Violations)+len(m.Outliers) > 0 {
				t.Errorf("%v: %+v", args, m)
			}
		}
		for _, args := range [][]string{{"--ranks", "1-5", bad}, {"--train", good, bad}} {
			if m := runMovement(t, args...); len(m.Outliers) == 0 || m.Outliers[0].Rank != moveRanks/2 {
				t.Errorf("%v: %+v", args, m)
			}
		}
	})
}

// TestLinking follows data through the library and its connections.
func TestLinking(t *testing.T) {
	t.Parallel()
	f := families[0]
	if _, err := exec.LookPath(f.cc); err != nil {
		t.Skip("no OpenMPI")
	}
	program := buildMove(t, f, "move_header.c")
	m := runMovement(t, "--level", "library", recordMoves(t, f, transports[0].flags, 0, program))
	if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "LAGGARD_LEVEL=library") {
		t.Errorf("what was not recorded is not missed: %q", m.Notes)
	}
	f.env = append(f.env, "LAGGARD_LEVEL=library")
	m = runMovement(t, "--level", "library", recordMoves(t, f, transports[0].flags, 0, program))
	if m.Links.Sends < 3000 || float64(m.Links.LinkedSends) < 0.95*float64(m.Links.Sends) {
		t.Errorf("linked %d of %d sends", m.Links.LinkedSends, m.Links.Sends)
	}
}
