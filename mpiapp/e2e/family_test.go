//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// family is an MPI implementation as it is installed here.
type family struct {
	name          string
	abi           bool     // it is used by way of the standard ABI of MPI-5
	standard      int      // the version of MPI that it implements
	cc, cxx, fort string   // its compilers
	launcher      []string // mpirun with what it always needs here
	tolerant      []string // flags that let the job go on when a rank dies
	env           []string
}

var families = []family{
	{
		name: "openmpi", standard: 3, cc: "mpicc.openmpi", cxx: "mpicxx.openmpi", fort: "mpif90.openmpi",
		launcher: []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"},
		tolerant: []string{"--enable-recovery"},
		env:      []string{"OMPI_MCA_mpi_yield_when_idle=1"},
	},
	{
		name: "mpich", standard: 4, cc: "mpicc.mpich", cxx: "mpicxx.mpich", fort: "mpif90.mpich",
		launcher: []string{"mpirun.mpich"},
		tolerant: []string{"-disable-auto-cleanup"},
	},
}

// launchCommand is the launcher's command line for a number of ranks.
func (f family) launchCommand(ranks int) []string {
	return append(slices.Clone(f.launcher), "-np", strconv.Itoa(ranks))
}

// String is how tests are called after it.
func (f family) String() string {
	if f.abi {
		return f.name + "-abi"
	}
	return f.name
}

// standardABI is the same MPI by way of the standard ABI, for which $LAGGARD_ABI/openmpi and $LAGGARD_ABI/mpich have
// compilers, mpicc and mpicxx. There is no Fortran in the ABI.
func (f family) standardABI() family {
	at := filepath.Join(os.Getenv("LAGGARD_ABI"), f.name)
	f.abi, f.standard, f.cc, f.cxx, f.fort = true, 5, filepath.Join(at, "mpicc"), filepath.Join(at, "mpicxx"), ""
	return f
}

// installedFamilies are the families that are here, each by way of the standard ABI too where there are compilers for that.
func installedFamilies() (out []family) {
	for _, native := range families {
		for _, f := range []family{native, native.standardABI()} {
			if _, err := exec.LookPath(f.cc); err == nil {
				out = append(out, f)
			}
		}
	}
	return out
}

// eachFamily runs a test for every MPI that is installed; at least one must be.
func eachFamily(t *testing.T, test func(t *testing.T, f family)) {
	found := installedFamilies()
	if len(found) == 0 {
		t.Fatal("neither mpicc.openmpi nor mpicc.mpich is installed; make deps installs them")
	}
	for _, f := range found {
		t.Run(f.String(), func(t *testing.T) { test(t, f) })
	}
}

// runEverything reports whether each case is wanted, not a selection of them.
func runEverything() bool { return os.Getenv("LAGGARD_ALL") != "" }

// runsCase reports whether a case of a list is run on this MPI: on one of them, the next case on the other; with LAGGARD_ALL
// (make test-long RUN=all) on each.
func (f family) runsCase(number int) bool {
	return runEverything() || families[number%len(families)].name == f.name || f.isOnlyMPI()
}

// selectCases is the cases of a list that are run on this MPI.
func selectCases[T any](f family, list []T) (out []T) {
	for i, c := range list {
		if f.runsCase(i) {
			out = append(out, c)
		}
	}
	return out
}

// eachCase runs a test for each case of a list, side by side; it is called what the case prints as.
func eachCase[T any](t *testing.T, cases []T, check func(*testing.T, T)) {
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			check(t, c)
		})
	}
}

// isOnlyMPI reports whether no other MPI is installed.
func (f family) isOnlyMPI() bool {
	return !slices.ContainsFunc(families, func(o family) bool {
		_, err := exec.LookPath(o.cc)
		return o.name != f.name && err == nil
	})
}

const programs = "../testdata/programs"

// binaryDir is where make build puts the program and the recorder.
func binaryDir(t *testing.T) string {
	t.Helper()
	dir := musttest.Get(filepath.Abs("../../bin"))(t)
	for _, name := range []string{"laggard", "liblaggard.so"} {
		musttest.Get(os.Stat(filepath.Join(dir, name)))(t, "build it with make build")
	}
	return dir
}

// runEnvironment is the environment of a run: its own place for the launcher's session
// files, since runs that share one have hung, and a recorder that is quick to
// take stacks.
func (f family) runEnvironment(t *testing.T, more ...string) []string {
	t.Helper()
	tmp := musttest.Get(os.MkdirTemp("/tmp", "lg"))(t) // short: OpenMPI puts sockets in it
	t.Cleanup(func() { os.RemoveAll(tmp) })
	var env []string
	for _, kv := range os.Environ() {
		own := strings.HasPrefix(kv, "LAGGARD_") && !strings.HasPrefix(kv, "LAGGARD_LIBRARY=")
		if !own && !strings.HasPrefix(kv, "TMPDIR=") {
			env = append(env, kv)
		}
	}
	env = append(env, "TMPDIR="+tmp, "LAGGARD_QUIET_MS=500")
	env = append(env, f.env...)
	return append(env, more...)
}
