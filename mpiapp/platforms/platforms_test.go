//go:build platforms

package platforms

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// suites are the releases of Debian, those of $LAGGARD_SUITES if it is set. With the name of a processor behind a
// hyphen they are for that, and run under an emulator.
var suites = []string{"bullseye", "bookworm", "trixie", "sid", "bookworm-arm64"}

var packages = []string{"gcc", "g++", "gfortran", "libc6-dev", "binutils", "openmpi-bin", "libopenmpi-dev", "mpich",
	"libmpich-dev", "python3-mpi4py", "python3-numpy"}

// column is one of the table: what is tried, and the tests that try it.
type column struct{ name, tests string }

var columns = []column{
	{"record", "TestCounts|TestHealthy"},
	{"diagnose, slice", "TestHangs|TestRoots|TestDivergences"},
	{"usage", "TestUsage"},
	{"movement", "TestBrokenChains"},
	{"volume", "TestVolume"},
	{"Python", "TestPython"},
}

// testScore counts the tests of a cell.
type testScore struct{ passed, tests int }

func (s testScore) String() string {
	if s.tests == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", s.passed, s.tests)
}

func TestPlatforms(t *testing.T) {
	if list := os.Getenv("LAGGARD_SUITES"); list != "" {
		suites = strings.Fields(list)
	}
	root := musttest.Get(filepath.Abs("../.."))(t)
	var table strings.Builder
	fmt.Fprint(&table, "| Debian | glibc | MPI |")
	for _, c := range columns {
		fmt.Fprintf(&table, " %s |", c.name)
	}
	fmt.Fprintf(&table, "\n|%s\n", strings.Repeat("---|", 3+len(columns)))
	for _, suite := range suites {
		t.Run(suite, func(t *testing.T) {
			system := filepath.Join(root, "build", "platforms", suite)
			if isForeignArch(suite) {
				mustRun(t, "sh", "-c", emulator)
			}
			installRelease(t, suite, system)
			copyBuild(t, root, suite, system)
			if isForeignArch(suite) {
				t.Run("meaning", func(t *testing.T) { checkSameRecords(t, root, system) })
				t.Run("diagnosis", func(t *testing.T) { checkSameDiagnosis(t, root, system) })
			}
			t.Run("tests", func(t *testing.T) { testRelease(t, suite, system, &table) })
		})
	}
	fmt.Println(table.String())
}

// emulator tells the kernel to run programs of aarch64 under qemu. Where no service of the system has done so, its
// file for that service is what the kernel takes.
const emulator = `at=/proc/sys/fs/binfmt_misc
[ -e $at/register ] || mount -t binfmt_misc binfmt_misc $at
[ -e $at/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >$at/register`

// installRelease makes the root file system of a release, unless it is there.
func installRelease(t *testing.T, suite, system string) {
	done := system + ".done"
	if _, err := os.Stat(done); err == nil {
		return
	}
	mustRun(t, "rm", "-rf", system)
	release, arch, other := strings.Cut(suite, "-")
	if !other {
		arch = runtime.GOARCH
	}
	mustRun(t, "debootstrap", "--arch="+arch, "--variant=minbase", release, system)
	runInChroot(t, system, "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "+
		strings.Join(packages, " "), nil)
	// MPICH asks for the address of its own host.
	host := musttest.Get(os.Hostname())(t)
	musttest.Succeed(t, os.WriteFile(system+"/etc/hosts", []byte("127.0.0.1 localhost "+host+"\n"), 0o644))
	mustRun(t, "sh", "-c", abiCompilers, system)
	musttest.Succeed(t, os.WriteFile(done, nil, 0o644))
}

// abiCompilers makes compilers for the standard ABI of MPI-5, where the release has libraries with it: those of Open
// MPI and MPICH have one soname, and the packages' own compilers for them, if any, take either.
const abiCompilers = `cd "$0/usr/lib" && for lib in */libmpi_abi_*.so.1.*; do
	[ -e "$lib" ] || exit 0
	mpi=${lib##*/libmpi_abi_} && at=$0/opt/mpi-abi/${mpi%%.so*} && mkdir -p "$at/lib"
	ln -sf "/usr/lib/$lib" "$at/lib/libmpi_abi.so.1" && ln -sf libmpi_abi.so.1 "$at/lib/libmpi_abi.so"
	header=$(ls -d ${lib%/*}/mpi_abi_*/include ${lib%/*}/openmpi/include/standard_abi | head -n 1)
	for c in cc:mpicc c++:mpicxx; do
		printf '#!/bin/sh\nexec %s -I/usr/lib/%s "$@" -L%s -Wl,-rpath,%s -lmpi_abi\n' \
			${c%:*} "$header" "${at#"$0"}/lib" "${at#"$0"}/lib" >"$at/${c#*:}" && chmod +x "$at/${c#*:}"
	done
done`

// copyBuild copies what was built here, the tests and their programs.
func copyBuild(t *testing.T, root, suite, system string) {
	to := system + "/laggard"
	mustRun(t, "rm", "-rf", to)
	mustRun(t, "mkdir", "-p", to+"/mpiapp/e2e")
	mustRun(t, "cp", "-r", binaryDir(root, suite), to+"/bin")
	mustRun(t, "cp", "-r", root+"/mpiapp/testdata", to+"/mpiapp")
	build := exec.Command("go", "test", "-c", "-tags", "e2e", "-o", to+"/mpiapp/e2e/e2e.test", root+"/mpiapp/e2e")
	build.Env = buildEnvironment(suite)
	musttest.Run(t, build)
}

// testRelease runs the tests in the release and adds its rows to the table.
func testRelease(t *testing.T, suite, system string, table *strings.Builder) {
	libc := strings.TrimSpace(runInChroot(t, system, `ldd --version | sed -n '1s/.* //p'`, nil))
	more := ""
	if isForeignArch(suite) { // an emulator is slow, and has no system calls to read the memory of another process
		more = "LAGGARD_SLOWER=8 OMPI_MCA_btl_vader_single_copy_mechanism=none "
	}
	cells := make([]map[string]testScore, len(columns))
	for i, c := range columns {
		t.Run(c.name, func(t *testing.T) { cells[i] = testColumn(t, suite, system, more, c.tests) })
	}
	for _, mpi := range []struct{ name, version string }{
		{"openmpi", `mpirun.openmpi --version | sed -n '1s/.* //p'`},
		{"mpich", `mpirun.mpich --version | sed -n 's/ *Version: *//p'`},
	} {
		version := strings.TrimSpace(runInChroot(t, system, mpi.version, nil))
		for _, name := range []string{mpi.name, mpi.name + "-abi"} {
			if !slices.ContainsFunc(cells, func(of map[string]testScore) bool { return of[name].tests > 0 }) {
				continue
			}
			fmt.Fprintf(table, "| %s | %s | %s %s |", suite, libc, name, version)
			for i := range columns {
				fmt.Fprintf(table, " %s |", cells[i][name])
			}
			fmt.Fprintln(table)
		}
	}
}

// testColumn runs the tests of a column in the release, and what fails beside the others once more alone. It returns how
// many passed, by MPI.
func testColumn(t *testing.T, suite, system, more, tests string) map[string]testScore {
	scores := map[string]testScore{}
	for name, passed := range runTests(t, system, more, "^("+tests+")$") {
		m := mpiOf.FindStringSubmatch(name + "/")
		if m == nil {
			continue
		}
		if !passed {
			again := "^" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
			passed = runTests(t, system, more, again)[name]
		}
		s := scores[m[1]]
		s.tests++
		if passed {
			s.passed++
		} else {
			t.Errorf("%s: %s failed twice", suite, name)
		}
		scores[m[1]] = s
	}
	return scores
}

var (
	// mpiOf finds the MPI in the name of a test.
	mpiOf = regexp.MustCompile(`/((?:openmpi|mpich)(?:-abi)?)(?:-tcp|-shm)?/`)
	// notHere is what a test says of a program that an older MPI cannot build or run.
	notHere = regexp.MustCompile(`the program (itself fails|cannot be built)`)
)

// runTests runs tests in the release, with more variables, and tells which passed, of those that have no
// tests in them and whose program runs there. What failed ones print goes to stderr.
func runTests(t *testing.T, system, more, tests string) map[string]bool {
	var report bytes.Buffer
	runInChroot(t, system, "cd /laggard/mpiapp/e2e && "+more+
		"./e2e.test -test.v=test2json -test.timeout 4h -test.run '"+tests+"'", &report)
	converted := exec.Command("go", "tool", "test2json")
	converted.Stdin = &report
	out := musttest.Get(converted.Output())(t)
	said, passed := map[string]string{}, map[string]bool{}
	var names []string
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		var e struct{ Action, Test, Output string }
		musttest.Succeed(t, json.Unmarshal(s.Bytes(), &e))
		switch e.Action {
		case "output":
			said[e.Test] += e.Output
		case "pass", "fail":
			passed[e.Test] = e.Action == "pass"
			names = append(names, e.Test)
		}
	}
	for _, name := range names {
		if !passed[name] {
			fmt.Fprint(os.Stderr, said[name])
		}
	}
	for _, name := range names {
		delete(passed, filepath.Dir(name))
		if notHere.MatchString(said[name]) {
			delete(passed, name)
		}
	}
	return passed
}

// runInChroot runs a command of the shell in the root file system, with mounts that end with
// it, and returns what it prints. With a place for its output it may fail.
func runInChroot(t *testing.T, system, command string, output io.Writer) string {
	t.Helper()
	c := exec.Command("unshare", "--mount", "--pid", "--fork", "sh", "-c",
		`mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" && `+ // UCX reads /sys
			`exec chroot "$0" /bin/sh -c "$1"`, system, command)
	c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"LAGGARD_ABI=/opt/mpi-abi",
		"OMPI_MCA_osc=^ucx"} // with which Open MPI 4.1.0 refuses every window on one host
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, os.Stderr
	if output != nil {
		c.Stdout = output
	}
	if err := c.Run(); err != nil && output == nil {
		t.Fatalf("%s: %v\n%s", command, err, text.String())
	}
	return text.String()
}

// mustRun runs a command that must succeed.
func mustRun(t *testing.T, command ...string) {
	t.Helper()
	commandOutput(t, command...)
}

// commandOutput is run for what the command prints.
func commandOutput(t *testing.T, command ...string) string {
	t.Helper()
	out := musttest.Run(t, exec.Command(command[0], command[1:]...))
	return string(out)
}
