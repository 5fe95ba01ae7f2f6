package main

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"laggard/job/preload"
	"laggard/slicing/dyninst"
)

const doctorLong = `Try what laggard needs on this machine, and on a program if one is given, and say
what works and what does not.

Exit status: 0 a job can be recorded, 1 it cannot.`

const doctorExample = `  laggard doctor
  laggard doctor -o /scratch/me ./app`

func (a *app) doctorCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "doctor [-o DIR] [PROGRAM]",
		Short:   "Say what works here and what does not",
		Long:    doctorLong,
		Example: doctorExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("doctor looks at one program, got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d := doctor{app: a}
			d.machine(dir)
			if len(args) == 1 {
				d.program(args[0])
			}
			if d.bad {
				return exitError{exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", ".", "directory where run directories shall go")
	return cmd
}

// doctor prints one line per thing tried.
type doctor struct {
	app *app
	bad bool // recording is impossible
}

func (d *doctor) say(mark, what, format string, args ...any) {
	fmt.Fprintf(d.app.out, "%-5s %-16s %s\n", mark, what, fmt.Sprintf(format, args...))
}

func (d *doctor) fail(what, format string, args ...any) {
	d.bad = true
	d.say("FAIL", what, format, args...)
}

func (d *doctor) machine(dir string) {
	d.preload()
	d.outputDirectory(dir)
	d.launchers()
	d.fortran()
	d.debugInfo()
	d.tracing()
	d.slurm()
	d.slicing()
}

// slicing says which backends "laggard slice" has.
func (d *doctor) slicing() {
	d.say("ok", "slicing", "native")
	path, err := helper()
	if err != nil {
		d.say("none", "slicing", "%v; it is only needed for slice --backend dyninst", err)
		return
	}
	version, err := dyninst.Version(path)
	if err != nil {
		d.say("note", "slicing", "%v", err)
		return
	}
	d.say("ok", "slicing", "dyninst (%s, %s)", path, version)
}

// preload loads the recorder into a program, which it leaves alone.
func (d *doctor) preload() {
	set := d.app.settings.Recorder.Library
	lib, err := preload.Libraries(set, nil)
	if err != nil {
		d.fail("recorder", "%v", err)
		return
	}
	d.preloaded("recorder", lib)
	both, err := preload.Libraries(set, []string{"volume"})
	if err != nil {
		d.say("none", "below MPI", "%v", err)
		return
	}
	d.preloaded("below MPI", both)
}

func (d *doctor) preloaded(what, libraries string) {
	cmd := exec.Command("true")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+libraries)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		d.fail(what, "%s cannot be preloaded: %v %s", libraries, err, strings.TrimSpace(string(out)))
		return
	}
	d.say("ok", what, "%s", libraries)
}

// outputDirectory does in the directory what the recorder does: a private file
// with reserved blocks, mapped shared.
func (d *doctor) outputDirectory(dir string) {
	f, err := os.CreateTemp(dir, ".laggard-doctor-*")
	if err != nil {
		d.fail("run directory", "%s: %v", dir, err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	const size = 65536
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		if _, err := f.Write(make([]byte, size)); err != nil {
			d.fail("run directory", "%s: %v", dir, err)
			return
		}
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		d.fail("run directory", "%s: files cannot be mapped: %v; use a directory on another file system", dir, err)
		return
	}
	mem[0] = 1
	_ = unix.Munmap(mem)
	abs, _ := filepath.Abs(dir)
	d.say("ok", "run directory", "%s can be written and mapped", abs)
}

func (d *doctor) launchers() {
	found := false
	for _, name := range []string{"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "srun"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		found = true
		out, err := exec.Command(path, "--version").CombinedOutput()
		first := versionLine(string(out))
		if err != nil {
			first = "does not say its version: " + err.Error()
		}
		d.say("ok", name, "%s (%s)", path, first)
	}
	if !found {
		d.say("none", "launcher", "no mpirun, mpiexec or srun in PATH; a recorded run can still be diagnosed here")
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

func (d *doctor) fortran() {
	var found []string
	for _, dir := range libraryDirs() {
		for _, pattern := range []string{"libmpi_mpifh.so*", "libmpi_usempif08.so*", "libmpichfort.so*", "libmpifort.so*"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			if len(names) > 0 {
				found = append(found, filepath.Base(names[0]))
			}
		}
	}
	if found == nil {
		d.say("none", "Fortran", "no MPI Fortran libraries in the usual places")
		return
	}
	d.say("ok", "Fortran", "%s: their calls are recorded too", strings.Join(found, ", "))
}

func libraryDirs() []string {
	dirs := []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/lib64/openmpi/lib", "/usr/lib64/mpich/lib"}
	return append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
}

func (d *doctor) debugInfo() {
	for _, dir := range d.app.settings.Symbols.DebugDirs {
		if info, err := os.Stat(filepath.Join(dir, ".build-id")); err == nil && info.IsDir() {
			d.say("ok", "debug files", "%s", dir)
			return
		}
	}
	d.say("none", "debug files", "no separate debug files in %s; lines come from programs built with -g", strings.Join(d.app.settings.Symbols.DebugDirs, ", "))
}

// tracing is for debuggers only: the recorder needs none of it.
func (d *doctor) tracing() {
	text, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	scope := strings.TrimSpace(string(text))
	if err != nil || scope == "0" {
		d.say("ok", "debuggers", "may attach to running ranks")
		return
	}
	d.say("note", "debuggers", "kernel.yama.ptrace_scope is %s: gdb -p may be refused; recording and diagnosis are not affected", scope)
}

func (d *doctor) slurm() {
	if id := os.Getenv("SLURM_JOB_ID"); id != "" {
		d.say("ok", "Slurm", "inside job %s", id)
		return
	}
	if _, err := exec.LookPath("sbatch"); err == nil {
		d.say("ok", "Slurm", "sbatch is here")
		return
	}
	d.say("none", "Slurm", "not here")
}

// program looks at what is to be recorded.
func (d *doctor) program(path string) {
	f, err := elf.Open(path)
	if err != nil {
		d.say("note", "program", "%s: %v: not an ELF file, so its own processes cannot be looked at", path, err)
		return
	}
	defer f.Close()
	libs, err := f.ImportedLibraries()
	if err != nil || f.Section(".interp") == nil {
		d.fail("program", "%s is statically linked: nothing can be preloaded", path)
		return
	}
	d.mpiOf(path, libs)
	if data, err := f.DWARF(); err == nil && hasUnits(data) {
		d.say("ok", "debug info", "%s has lines", path)
	} else {
		d.say("note", "debug info", "%s has no lines of its own: functions are named, lines are not unless a separate debug file is found; build with -g", path)
	}
	if f.Section(".note.gnu.build-id") == nil {
		d.say("note", "build-id", "%s has none: symbols are taken by path and cannot be verified; link with -Wl,--build-id", path)
	}
}

func hasUnits(d *dwarf.Data) bool {
	e, err := d.Reader().Next()
	return err == nil && e != nil
}

func (d *doctor) mpiOf(path string, libs []string) {
	for _, l := range libs {
		switch {
		case strings.HasPrefix(l, "libmpi.so.40"), strings.HasPrefix(l, "libmpi_"), strings.HasPrefix(l, "libmpi.so.80"):
			d.say("ok", "program", "%s uses OpenMPI (%s)", path, l)
			return
		case strings.HasPrefix(l, "libmpich"), strings.HasPrefix(l, "libmpi.so.12"), strings.HasPrefix(l, "libmpifort"):
			d.say("ok", "program", "%s uses the MPICH ABI (%s)", path, l)
			return
		}
	}
	d.say("note", "program", "%s is not linked to an MPI library by itself; it is recorded if a library of its is", path)
}
