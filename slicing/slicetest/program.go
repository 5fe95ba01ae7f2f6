package slicetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
)

// Program is a test program and what is known of it.
type Program struct {
	Name   string // of the file
	Path   string
	Report bool // its figures count; else it may be used for tuning
	// Others: it was written by somebody who had not read the slicer.
	Others bool
	Stop   int // the line where the rank is
	Root   int // the line with the fault
	Want   map[int]bool
	run    stopPoint
	data   string
	peers  []stopPoint
	target Target
}

// stopPoint is a call of a rank: "MPI_Recv:2" is its second MPI_Recv.
type stopPoint struct {
	rank, size int
	stop       string
}

// testdataDir is the folder of the sources as seen from the test's own folder, which is
// beside this one.
func testdataDir() string {
	path, err := filepath.Abs(filepath.Join("..", "testdata"))
	if err != nil {
		panic(err) // the working directory is gone
	}
	return path
}

// Programs reads the sources and their markers.
func Programs(t testing.TB) []Program {
	t.Helper()
	var out []Program
	for _, folder := range []string{"programs", "strangers"} {
		paths, err := filepath.Glob(filepath.Join(testdataDir(), folder, "*.*"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no %s: %v", folder, err)
		}
		for _, p := range paths {
			prog := musttest.Get(readProgram(p))(t)
			prog.Others = folder == "strangers"
			out = append(out, prog)
		}
	}
	return out
}

func readProgram(path string) (Program, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Program{}, err
	}
	p := Program{Name: filepath.Base(path), Path: path, Want: map[int]bool{}}
	comment := "// "
	if strings.HasSuffix(path, ".f90") {
		comment = "! "
	}
	lines := strings.Split(string(text), "\n")
	if err := p.parseHeader(strings.TrimPrefix(lines[0], comment)); err != nil {
		return p, fmt.Errorf("%s: %w", p.Name, err)
	}
	for i, l := range lines[1:] {
		n := i + 2
		switch {
		case strings.HasSuffix(l, comment+"slice"):
		case strings.HasSuffix(l, comment+"root"):
			p.Root = n
		case strings.HasSuffix(l, comment+"stop"):
			p.Stop = n
		default:
			continue
		}
		p.Want[n] = true
	}
	if p.Root == 0 || p.Stop == 0 {
		return p, fmt.Errorf("%s: no root or no stop is marked", p.Name)
	}
	return p, nil
}

// parseHeader reads "tune: rank=1 size=2 stop=MPI_Recv:2 data=10 peer=0:MPI_Send:1".
func (p *Program) parseHeader(line string) error {
	kind, rest, ok := strings.Cut(line, ":")
	if p.Report = kind == "report"; !ok || !p.Report && kind != "tune" {
		return fmt.Errorf("header %q", line)
	}
	for _, f := range strings.Fields(rest) {
		key, value, _ := strings.Cut(f, "=")
		n, err := strconv.Atoi(value)
		switch key {
		case "rank":
			p.run.rank = n
		case "size":
			p.run.size = n
		case "stop":
			p.run.stop, err = value, nil
		case "data":
			p.data, err = value, nil
		case "peer":
			rank, stop, _ := strings.Cut(value, ":")
			n, err = strconv.Atoi(rank)
			p.peers = append(p.peers, stopPoint{n, p.run.size, stop})
		default:
			err = fmt.Errorf("header %q", f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Source reads a source file, for backends that look at the text.
func Source(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\n")
}

// requireTool skips the test if a program is not installed.
func requireTool(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

// Target is what programs are compiled for, and how they are run.
type Target struct {
	Prefix   string // of the names of its compilers, "" for this machine's own
	Emulator string // that runs its programs, "" none
	Root     string // where the emulated programs find their libraries
}

// Arm64 has gcc's cross compilers, and the emulation of user programs by qemu.
var Arm64 = Target{"aarch64-linux-gnu-", "qemu-aarch64-static", "/usr/aarch64-linux-gnu"}

// RequireTools skips the test if what compiles for the target or runs its programs is not installed.
func (g Target) RequireTools(t testing.TB) {
	t.Helper()
	for _, compiler := range []string{"gcc", "g++", "gfortran"} {
		requireTool(t, g.Prefix+compiler)
	}
	if g.Emulator != "" {
		requireTool(t, g.Emulator)
	}
}

// Stub builds the library that stands for MPI, in a folder of its own.
func Stub(t testing.TB) string { return Target{}.Stub(t) }

// Stub builds the library that stands for MPI, in a folder of its own.
func (g Target) Stub(t testing.TB) string {
	t.Helper()
	requireTool(t, g.Prefix+"gcc")
	dir := t.TempDir()
	runTool(t, dir, g.Prefix+"gcc", "-shared", "-fPIC", "-O1", "-g0", "-I"+filepath.Join(testdataDir(), "stub"),
		filepath.Join(testdataDir(), "stub", "mpi.c"), "-o", filepath.Join(dir, "libmpi.so"))
	if fortran, err := exec.LookPath(g.Prefix + "gfortran"); err == nil { // it writes the module there
		runTool(t, dir, fortran, "-fsyntax-only", "-I"+filepath.Join(testdataDir(), "stub"),
			filepath.Join(testdataDir(), "stub", "mpi.f90"))
	}
	return dir
}

// Compiler returns the compiler of a family, "gcc" or "clang", for a source; ""
// if the family has none.
func Compiler(family, source string) string {
	switch ext := filepath.Ext(source); {
	case ext == ".c":
		return family
	case ext == ".cc" && family == "gcc":
		return "g++"
	case ext == ".cc":
		return family + "++"
	case family == "gcc":
		return "gfortran"
	}
	return ""
}

// Build compiles a program against the stub library.
func (p Program) Build(t testing.TB, stub, compiler string, flags ...string) string {
	t.Helper()
	requireTool(t, compiler)
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(p.Name, filepath.Ext(p.Name)))
	args := append([]string{compiler, "-g", "-I" + filepath.Join(testdataDir(), "stub"), "-I" + stub, p.Path, "-o", out},
		flags...)
	if strings.HasSuffix(p.Name, ".cc") {
		args = append(args, "-std=c++17") // which some compilers do not begin with
	}
	runTool(t, filepath.Dir(out), append(args, "-L"+stub, "-lmpi", "-Wl,-rpath,"+stub, "-Wl,--build-id")...)
	return out
}

func runTool(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir // Fortran compilers write modules there
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// Criterion runs a program up to where its rank stands, and its peers up to
// their sends.
func (p Program) Criterion(t testing.TB, exe string) slicing.Criterion {
	t.Helper()
	c := slicing.Criterion{Rank: p.run.rank}
	if call, _, ok := strings.Cut(p.run.stop, ":"); ok {
		c.Call = call
	}
	c.Stack, c.Exact = p.captureStack(t, exe, p.run)
	for _, peer := range p.peers {
		call, _, _ := strings.Cut(peer.stop, ":")
		stack, _ := p.captureStack(t, exe, peer)
		c.Peers = append(c.Peers, slicing.Site{Call: call, Stack: stack})
	}
	return c
}

func (p Program) captureStack(t testing.TB, exe string, at stopPoint) (stack []model.Frame, exact bool) {
	t.Helper()
	cmd := exec.Command(exe)
	if p.target.Emulator != "" {
		cmd = exec.Command(p.target.Emulator, "-L", p.target.Root, exe)
	}
	cmd.Env = append(os.Environ(), fmt.Sprintf("STUB_RANK=%d", at.rank), fmt.Sprintf("STUB_SIZE=%d", at.size),
		"STUB_STOP="+at.stop, "STUB_DATA="+p.data)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: rank %d up to %s: %v", p.Name, at.rank, at.stop, err)
	}
	modules := map[string]*model.Module{}
	for _, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var kind, file string
		var offset uint64
		if _, err := fmt.Sscanf(string(line), "%s %s %x", &kind, &file, &offset); err != nil {
			t.Fatalf("%s: %q: %v", p.Name, line, err)
		}
		if file != exe && filepath.Base(file) != "libmpi.so" {
			file = filepath.Join(p.target.Root, file)
		}
		if modules[file] == nil {
			id := musttest.Get(BuildID(file))(t)
			modules[file] = &model.Module{Path: file, BuildID: id}
		}
		exact = exact || kind == "pc"
		stack = append(stack, model.Frame{Module: modules[file], Offset: offset})
	}
	return stack, exact
}
