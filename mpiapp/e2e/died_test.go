//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// death is a mode of a program in which a rank dies in a call of MPI, and what must be said of the call's arguments.
type death struct {
	source, mode string
	want         string   // part of the reason; by hand, and the same with both libraries
	on           string   // the only MPI with which it dies; "": all
	flags        []string // of the compiler; nil: -O0
	short        bool     // in the default suite
}

// diedVictim is the rank that dies, of four.
const diedVictim = "2"

var optimised = []string{"-O2"}

var deaths = []death{
	{source: "dieddispls.c", mode: "gather", short: true,
		want: "displs[2] is -1294967296, an int overflow: displs[1] + recvcounts[1] is 3000000000"},
	{source: "dieddispls.c", mode: "exchange", want: "rdispls[3] is -2147483640: an int overflow is likely"},
	{source: "dieddispls.c", mode: "product", want: "count is -1794967296: an int overflow is likely", flags: optimised},
}

// TestDied has ranks die of bad arguments. The argument is named; of the correct program nothing is said.
func TestDied(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, d := range deaths {
			if (d.short || runEverything()) && (d.on == "" || d.on == f.name) {
				t.Run(strings.TrimSuffix(d.source, filepath.Ext(d.source))+"/"+d.mode, func(t *testing.T) { f.checkDeath(t, d) })
			}
		}
	})
}

func (f family) checkDeath(t *testing.T, d death) {
	flags := d.flags
	if flags == nil {
		flags = []string{"-O0"}
	}
	program := f.buildProgram(t, d.source, flags...)
	a := f.diagnoseDeath(t, program, d.mode)
	if l := a.LeastProgressed; l == nil || l.Set != diedVictim || l.Confidence < 0.9 {
		t.Errorf("rank %s is not named: %+v", diedVictim, l)
	}
	said := ""
	for _, l := range a.Losses {
		if l.Ranks == diedVictim {
			said += l.Argument + l.Text
		}
	}
	if !strings.Contains(said, d.want) {
		t.Errorf("it is said %q, want %q in it", said, d.want)
	}
	if a := f.diagnoseDeath(t, program, d.mode, "right"); len(a.Losses) > 0 || a.LeastProgressed != nil {
		t.Errorf("of the correct program: %+v, %+v", a.Losses, a.LeastProgressed)
	}
}

// diagnoseDeath runs a program with four ranks, and diagnoses the run.
func (f family) diagnoseDeath(t *testing.T, program string, args ...string) *diagnosisJSON {
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	command := append([]string{filepath.Join(binaryDir(t), "laggard"), "run", "-o", dir, "--timeout", "6s", "--"}, f.launchCommand(4)...)
	startJob(t, env, nil, append(append(command, program), args...)...).wait()
	return runDiagnose(t, env, dir)
}
