package doctor

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"laggard/job/preload"
	"laggard/slicing/dyninst"
)

// Doctor prints one line per thing tried.
type Doctor struct {
	Out       io.Writer
	Library   string                 // the recorder, as the settings name it
	DebugDirs []string               // directories of separate debug files
	Helper    func() (string, error) // path of the Dyninst helper
	Version   string                 // of laggard
	Failed    bool                   // recording is impossible
	mpi       []launcher             // those found
}

// launcher is a launcher that is found, with the family of MPI that it is of, "" if that is not known.
type launcher struct{ name, family string }

const (
	openMPI = "OpenMPI"
	mpich   = "the MPICH ABI"
)

func (d *Doctor) printLine(mark, what, format string, args ...any) {
	fmt.Fprintf(d.Out, "%-5s %-16s %s\n", mark, what, fmt.Sprintf(format, args...))
}

func (d *Doctor) printFailure(what, format string, args ...any) {
	d.Failed = true
	d.printLine("FAIL", what, format, args...)
}

// CheckMachine tries what recording and analysing need here; dir is where run directories
// shall go.
func (d *Doctor) CheckMachine(dir string) {
	d.reportSystem()
	d.checkPreload()
	d.checkOutputDirectory(dir)
	d.checkLaunchers()
	d.checkFortran()
	d.checkDebugInfo()
	d.checkTracing()
	d.checkSlurm()
	d.checkSlicing()
}

// checkSlicing says which backends "laggard slice" has.
func (d *Doctor) checkSlicing() {
	d.printLine("ok", "slicing", "native")
	path, err := d.Helper()
	if err != nil {
		d.printLine("none", "slicing", "%v; it is only needed for slice --backend dyninst", err)
		return
	}
	version, err := dyninst.Version(path)
	if err != nil {
		d.printLine("note", "slicing", "%v", err)
		return
	}
	d.printLine("ok", "slicing", "dyninst (%s, %s)", path, version)
}

// checkPreload loads the recorder into a program, which it leaves alone.
func (d *Doctor) checkPreload() {
	lib, err := preload.Libraries(d.Library, nil)
	if err != nil {
		d.printFailure("recorder", "%v", err)
		return
	}
	d.tryPreload("recorder", lib)
	both, err := preload.Libraries(d.Library, []string{"volume"})
	if err != nil {
		d.printLine("none", "below MPI", "%v", err)
		return
	}
	d.tryPreload("below MPI", both)
}

func (d *Doctor) tryPreload(what, libraries string) {
	cmd := exec.Command("true")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+libraries)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		d.printFailure(what, "%s cannot be preloaded: %v %s", libraries, err, strings.TrimSpace(string(out)))
		return
	}
	d.printLine("ok", what, "%s", libraries)
}

// checkOutputDirectory does in the directory what the recorder does: a private file
// with reserved blocks, mapped shared.
func (d *Doctor) checkOutputDirectory(dir string) {
	f, err := os.CreateTemp(dir, ".laggard-doctor-*")
	if err != nil {
		d.printFailure("run directory", "%s: %v", dir, err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	const size = 65536
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		if _, err := f.Write(make([]byte, size)); err != nil {
			d.printFailure("run directory", "%s: %v", dir, err)
			return
		}
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		d.printFailure("run directory", "%s: files cannot be mapped: %v; use a directory on another file system", dir, err)
		return
	}
	mem[0] = 1
	_ = unix.Munmap(mem)
	abs, _ := filepath.Abs(dir)
	d.printLine("ok", "run directory", "%s can be written and mapped", abs)
}

func (d *Doctor) checkLaunchers() {
	for _, name := range []string{"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "srun"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "--version").CombinedOutput()
		d.mpi = append(d.mpi, launcher{name, launcherFamily(string(out))})
		first := versionLine(string(out))
		if err != nil {
			first = "does not report its version: " + err.Error()
		}
		d.printLine("ok", name, "%s (%s)", path, first)
	}
	if len(d.mpi) == 0 {
		d.printLine("none", "launcher", "no mpirun, mpiexec or srun in PATH; a recorded run can still be diagnosed here")
	}
}

// launcherFamily is whose launcher says that of its version; Intel's is one of the MPICH ABI.
func launcherFamily(version string) string {
	for _, mark := range []struct{ text, family string }{
		{"Open MPI", openMPI}, {"OpenRTE", openMPI}, {"PRRTE", openMPI}, {"HYDRA", mpich}, {"Intel(R) MPI", mpich},
	} {
		if strings.Contains(version, mark.text) {
			return mark.family
		}
	}
	return ""
}

// reportMismatchedLaunchers says of the launchers that a user takes first which ones do not understand programs of a family, and
// which others do. Such a launcher starts as many jobs of one rank as there should be ranks.
func (d *Doctor) reportMismatchedLaunchers(path, family string) {
	var fit []string
	for _, l := range d.mpi {
		if l.family == family {
			fit = append(fit, l.name)
		}
	}
	instead := "the mpirun of that MPI"
	if len(fit) > 0 {
		instead = strings.Join(fit, " or ")
	}
	for _, l := range d.mpi {
		if (l.name == "mpirun" || l.name == "mpiexec") && l.family != "" && l.family != family {
			d.printLine("note", "launcher", "%s is of %s: it would start each process of %s as a separate job; use %s",
				l.name, l.family, path, instead)
		}
	}
}

// versionLine picks the line of --version that has a number in it: Hydra's first
// one has none.
func versionLine(text string) string {
	for line := range strings.Lines(text) {
		if strings.ContainsAny(line, "0123456789") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return strings.TrimSpace(text)
}

func (d *Doctor) checkFortran() {
	var found []string
	patterns := []string{"libmpi_mpifh.so*", "libmpi_usempif08.so*", "libmpichfort.so*", "libmpifort.so*"}
	for _, dir := range libraryDirs() {
		for _, pattern := range patterns {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			if len(names) > 0 {
				found = append(found, filepath.Base(names[0]))
			}
		}
	}
	if found == nil {
		d.printLine("none", "Fortran", "no MPI Fortran libraries in the usual places")
		return
	}
	d.printLine("ok", "Fortran", "%s: their calls are recorded too", strings.Join(found, ", "))
}

func libraryDirs() []string {
	dirs := []string{
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
		"/usr/lib64/openmpi/lib", "/usr/lib64/mpich/lib",
	}
	return append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
}

func (d *Doctor) checkDebugInfo() {
	for _, dir := range d.DebugDirs {
		if info, err := os.Stat(filepath.Join(dir, ".build-id")); err == nil && info.IsDir() {
			d.printLine("ok", "debug files", "%s", dir)
			return
		}
	}
	d.printLine("none", "debug files", "no separate debug files in %s; lines come from programs built with -g",
		strings.Join(d.DebugDirs, ", "))
}

// checkTracing is for debuggers only: the recorder needs none of it.
func (d *Doctor) checkTracing() {
	text, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	scope := strings.TrimSpace(string(text))
	if err != nil || scope == "0" {
		d.printLine("ok", "debuggers", "may attach to running ranks")
		return
	}
	d.printLine("note", "debuggers",
		"kernel.yama.ptrace_scope is %s: gdb -p may be refused; recording and diagnosis are not affected", scope)
}

func (d *Doctor) checkSlurm() {
	if id := os.Getenv("SLURM_JOB_ID"); id != "" {
		d.printLine("ok", "Slurm", "inside job %s", id)
		return
	}
	if _, err := exec.LookPath("sbatch"); err == nil {
		d.printLine("ok", "Slurm", "sbatch found")
		return
	}
	d.printLine("none", "Slurm", "not found")
}

// CheckProgram looks at a program that is to be recorded.
func (d *Doctor) CheckProgram(path string) {
	if why := noProgram(path); why != "" {
		d.printFailure("program", "%s %s", path, why)
		return
	}
	f, err := elf.Open(path)
	if err != nil {
		d.printLine("note", "program", "%s is a script: what it starts can be recorded; try its interpreter",
			path)
		return
	}
	defer f.Close()
	if why := preloadObstacle(path, f); why != "" {
		d.printFailure("program", "%s %s", path, why)
		return
	}
	libs, _ := f.ImportedLibraries()
	d.mpiOf(path, libs)
	if data, err := f.DWARF(); err == nil && hasUnits(data) {
		d.printLine("ok", "debug info", "%s has line information", path)
	} else {
		d.printLine("note", "debug info", "%s has no line information: functions are shown, lines only if a separate "+
			"debug file is found; build with -g", path)
	}
	if f.Section(".note.gnu.build-id") == nil {
		d.printLine("note", "build-id",
			"%s has none: symbols are found by path and cannot be verified; link with -Wl,--build-id", path)
	}
}

// noProgram says why a file cannot be started; "" if it can.
func noProgram(path string) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not found: give the path of the program"
	case err != nil:
		return "cannot be examined: " + errors.Unwrap(err).Error()
	case !info.Mode().IsRegular():
		return "is not a file"
	}
	f, err := os.Open(path)
	if err != nil {
		return "cannot be read: " + errors.Unwrap(err).Error()
	}
	defer f.Close()
	var magic [4]byte
	n, _ := io.ReadFull(f, magic[:])
	if text := string(magic[:n]); text != elf.ELFMAG && !strings.HasPrefix(text, "#!") {
		return "is not a program: it is neither an ELF file nor a script that begins with #!; compile it first"
	}
	if info.Mode()&0o111 == 0 {
		return "cannot be executed: chmod +x"
	}
	return ""
}

// PreloadObstacle says why nothing can be preloaded into a program, as "is linked statically: ..."; "" if nothing is known
// that stands against it, or it is no ELF file.
func PreloadObstacle(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	return preloadObstacle(path, f)
}

func preloadObstacle(path string, f *elf.File) string {
	loader := interpreter(f)
	if loader == "" && isLibrary(f) {
		return ""
	}
	if loader == "" {
		return "is linked statically: nothing can be preloaded; link it without -static, " +
			"or read its stacks when it hangs: laggard import --help"
	}
	if st, err := os.Stat(path); err == nil && st.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return "is setuid or setgid: the system preloads nothing into it; clear that on a copy (chmod ug-s)"
	}
	if strings.Contains(loader, "musl") {
		return fmt.Sprintf("is linked to musl (%s): the recorder needs the GNU C library; build the program "+
			"against that",
			loader)
	}
	return ""
}

// isLibrary reports whether a file that names no loader is a shared library, which is no program. One that is linked statically may lie
// anywhere in memory, too, but says so.
func isLibrary(f *elf.File) bool {
	if f.Type != elf.ET_DYN {
		return false
	}
	flags, _ := f.DynValue(elf.DT_FLAGS_1) // none where they cannot be read
	return !slices.ContainsFunc(flags, func(v uint64) bool { return elf.DynFlag1(v)&elf.DF_1_PIE != 0 })
}

// interpreter is the path of the program that loads the program.
func interpreter(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			path, _ := io.ReadAll(p.Open())
			return strings.TrimRight(string(path), "\x00")
		}
	}
	return ""
}

func hasUnits(d *dwarf.Data) bool {
	e, err := d.Reader().Next()
	return err == nil && e != nil
}

func (d *Doctor) mpiOf(path string, libs []string) {
	for _, l := range libs {
		switch {
		case strings.HasPrefix(l, "libmpi_abi."):
			d.printLine("ok", "program", "%s uses the standard ABI of MPI-5 (%s)", path, l)
			return
		case strings.HasPrefix(l, "libmpi.so.40"), strings.HasPrefix(l, "libmpi.so.80"),
			strings.HasPrefix(l, "libmpi_"):
			d.reportLinkedMPI(path, openMPI, l)
			return
		case strings.HasPrefix(l, "libmpich"), strings.HasPrefix(l, "libmpi.so.12"), strings.HasPrefix(l, "libmpifort"):
			d.reportLinkedMPI(path, mpich, l)
			return
		}
	}
	d.printLine("note", "program",
		"%s is not linked to an MPI library by itself; it is recorded if one of its libraries is", path)
}

func (d *Doctor) reportLinkedMPI(path, family, library string) {
	d.printLine("ok", "program", "%s uses %s (%s)", path, family, library)
	d.reportMismatchedLaunchers(path, family)
}
