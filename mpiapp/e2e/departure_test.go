//go:build e2e

package e2e

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/musttest"
	"laggard/model/nodefile"
)

// TestDepartures lets one rank go away. First the launcher does what it does by
// itself, and ends the job: the diagnosis is one of a job that has ended, and
// the exit status is that of the launcher.
func TestDepartures(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, s := range departures {
			t.Run(s.mode, func(t *testing.T) {
				f.checkDeparture(t, s)
			})
		}
	})
}

func (f family) checkDeparture(t *testing.T, s scenario) {
	program := f.buildProgram(t, s.source, "-O0")
	env := f.runEnvironment(t)
	dir := filepath.Join(t.TempDir(), "run")
	plain := startJob(t, env, nil, append(f.launchCommand(s.rankCount()), program, s.mode)...).wait()
	got := f.startRecorded(t, dir, env, s.rankCount(), nil, program, s.mode).wait()
	if f.killsJobOnDeath() && got.status != 0 && plain.status != 0 {
		got.status = plain.status // Hydra's is that of the rank or of those it killed, as it comes
	}
	if got.status != plain.status || got.programOutput() != plain.programOutput() {
		t.Errorf("exit status %d and %q, want %d and %q as without laggard", got.status, got.stdout, plain.status,
			plain.stdout)
	}
	if !namesRank(got.stderr, s.least[0]) {
		t.Errorf("laggard run does not name rank %d:\n%s", s.least[0], got.stderr)
	}
	s.checkDiagnosis(t, "ended", runDiagnose(t, env, dir))
	checkEndsNoted(t, nodeFile(t, dir), s.rankCount())
}

// checkEndsNoted: the kernel has noted the end of every process in the node file.
func checkEndsNoted(t *testing.T, node string, ranks int) {
	t.Helper()
	const ownerDied = 0x40000000
	file := musttest.Get(os.ReadFile(node))(t)
	for slot := range ranks {
		if note := binary.LittleEndian.Uint32(file[nodefile.EndingsAt+4*slot:]); note&ownerDied == 0 {
			t.Errorf("of slot %d the kernel noted %#x", slot, note)
		}
	}
}

// killsJobOnDeath: Hydra ends a job with SIGKILL, OpenMPI's launcher asks first.
func (f family) killsJobOnDeath() bool { return f.name == "mpich" }

// TestDeparturesTolerated tells the launcher to let the others go on: they wait
// for the rank that is gone, and laggard run finds a hang.
func TestDeparturesTolerated(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, s := range departures {
			// Hydra tolerates nothing but a clean exit.
			if f.killsJobOnDeath() && !slices.Contains([]string{"exit", "_exit"}, s.mode) {
				continue
			}
			t.Run(s.mode, func(t *testing.T) {
				t.Parallel()
				program := f.buildProgram(t, s.source, "-O0")
				env := f.runEnvironment(t)
				dir := filepath.Join(t.TempDir(), "run")
				j := f.startRecorded(t, dir, env, s.rankCount(), f.tolerant, program, s.mode)
				j.awaitHang()
				s.checkDiagnosis(t, "hung", runDiagnose(t, env, dir))
			})
		}
	})
}
