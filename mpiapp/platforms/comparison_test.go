//go:build platforms

package platforms

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
)

// deterministic are programs that make the same calls in each run, and what they are called with.
var deterministic = []struct{ source, ranks string }{{"ring.c", "4"}, {"cart.c", "6"}}

// checkSameRecords records programs here and in the root file system of another processor: what is in the node files must be
// the same but for addresses, modules, times and the numbers of processes.
func checkSameRecords(t *testing.T, root, system string) {
	for _, mpi := range []string{"openmpi", "mpich"} {
		for _, program := range deterministic {
			t.Run(mpi+"/"+program.source, func(t *testing.T) {
				at := "/laggard/same/" + mpi + "/" + program.source
				natively := func(command string) string { return commandOutput(t, "sh", "-c", command) }
				emulated := func(command string) string { return runInChroot(t, system, command, nil) }
				here := recordProgram(t, t.TempDir(), root, mpi, program.source, program.ranks, natively)
				there := recordProgram(t, at, "/laggard", mpi, program.source, program.ranks, emulated)
				checktest.Equal(t, here, there)
			})
		}
	}
}

// recordProgram builds and records a program in a folder and returns what its node file says. Laggard is at home.
func recordProgram(t *testing.T, dir, home, mpi, source, ranks string, shell func(string) string) []string {
	t.Helper()
	text := shell("mkdir -p " + dir + " && cd " + dir + " && rm -rf run && export TMPDIR=/tmp " +
		"OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 && " +
		"mpicc." + mpi + " -g -O0 -o program " + home + "/mpiapp/testdata/programs/" + source + " -lm && " +
		"timeout 300 " + home + "/bin/laggard run -o run --timeout 250s -- " +
		"mpirun." + mpi + " -np " + ranks + " ./program >/dev/null 2>&1; " +
		home + "/bin/laggard inspect run/node-*.lgd")
	return comparableSlots(text)
}

// ofMachine is what may differ; a stack is captured where the machine is slow.
var ofMachine = regexp.MustCompile(`(?m)^ +(?:MODULE at|captured:) .*\n| at \d+,|0x[0-9a-f]+|` +
	` \b(pid|tid|first_tid|slot|start|exe|seq|id|parent|created|heartbeat|end_time|quiet_since|longest_quiet_ns) ` +
	`\S+`)

// took is what a diagnosis says of itself.
var took = regexp.MustCompile(`"seconds": \{[^}]*\}`)

// comparableSlots are the slots of a node file without what may differ, in the order of the ranks.
func comparableSlots(text string) []string {
	rank := regexp.MustCompile(` rank \d+ `)
	slots := regexp.MustCompile(`(?m)^slot \d+\n.*\n`).Split(text, -1)[1:]
	for i := range slots {
		slots[i] = ofMachine.ReplaceAllString(slots[i], "")
	}
	slices.SortFunc(slots, func(a, b string) int { return cmp.Compare(rank.FindString(a), rank.FindString(b)) })
	return slots
}

// checkSameDiagnosis diagnoses a hang of each MPI that was recorded in the root file system with the laggard of its
// processor, and with that of this machine.
func checkSameDiagnosis(t *testing.T, root, system string) {
	mustRun(t, "mkdir", "-p", system+"/laggard/here")
	mustRun(t, "cp", filepath.Join(root, "bin", "laggard"), system+"/laggard/here/laggard") // it is linked to nothing
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			at := "/laggard/diagnosed/" + mpi
			runInChroot(t, system, "mkdir -p "+at+" && cd "+at+" && rm -rf run && "+
				"export OMPI_MCA_rmaps_base_oversubscribe=1 && "+
				"mpicc."+mpi+" -g -O0 -o program /laggard/mpiapp/testdata/programs/ring.c && "+
				"timeout 300 /laggard/bin/laggard run -o run --timeout 20s -- "+
				"mpirun."+mpi+" -np 6 ./program hang >/dev/null 2>&1; test -d run", nil)
			by := func(laggard string) string {
				return took.ReplaceAllString(runInChroot(t, system, laggard+" diagnose --json "+at+"/run", nil), "")
			}
			there, here := by("/laggard/bin/laggard"), by("/laggard/here/laggard")
			if d := gocmp.Diff(there, here); d != "" || !strings.Contains(here, "ring.c") {
				t.Errorf("%s\nof %s", d, here)
			}
		})
	}
}

// isForeignArch reports whether a root file system is that of another processor.
func isForeignArch(suite string) bool { return strings.Contains(suite, "-") }

// binaryDir is where what was built for the processor of a root file system is.
func binaryDir(root, suite string) string {
	if _, arch, other := strings.Cut(suite, "-"); other {
		return filepath.Join(root, "build", arch, "bin")
	}
	return filepath.Join(root, "bin")
}

// buildEnvironment is that of go for the processor of a root file system.
func buildEnvironment(suite string) []string {
	if _, arch, other := strings.Cut(suite, "-"); other {
		return append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	}
	return os.Environ()
}
