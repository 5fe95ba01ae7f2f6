package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"laggard/model"
)

const execLong = `Run one rank's program under the recorder, behind any launcher. The program
takes the place of laggard, which is not between it and the launcher, so its
output and exit status are its own. Rank 0 says where the data goes; without -o
that is laggard- and the launcher's name for the job, in the current directory,
which all ranks must share. Beside rank 0 a process of laggard's watches the run
directory and, when the job hangs, prints the diagnosis and ends rank 0.

If the recording cannot be set up, exec says why and runs the program without.`

const execExample = `  srun -n 64 laggard exec -- ./app
  mpirun -np 16 laggard exec -o run7 -- ./app input.txt`

func (a *app) execCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "exec [flags] -- PROGRAM …",
		Short:   "Run a rank's program under the recorder, behind any launcher",
		Long:    execLong,
		Example: execExample,
		Args:    wantCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.settle(&f, cmd); err != nil {
				return err
			}
			return a.exec(f, args)
		},
	}
	f.register(cmd)
	return cmd
}

// exec makes the run directory together with the other ranks, and becomes the
// program. If the recording cannot be set up, the program runs without it.
func (a *app) exec(f runFlags, command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return usageError{fmt.Errorf("exec: %w", err)}
	}
	env := map[string]string{}
	if err := a.join(f, command, env); err != nil {
		fmt.Fprintf(a.err, "laggard: not recording: %v\n", err)
	}
	return syscall.Exec(path, command, merge(os.Environ(), env))
}

// join fills in the environment of a rank and, at rank 0, starts the watcher.
func (a *app) join(f runFlags, command []string, env map[string]string) error {
	job, err := jobKey()
	if err != nil && (f.dir == "" || os.Getenv("LAGGARD_RUN_ID") == "") {
		return err
	}
	dir := f.dir
	if dir == "" {
		dir = "laggard-" + job
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	id, err := runIDFor(job)
	if err != nil {
		return err
	}
	if err := onlyRun(dir, id); err != nil {
		return err
	}
	set, err := a.recorderEnv(dir, f.liveDir, f.record, id)
	if err != nil {
		return err
	}
	if err := a.keepNode(f, dir, id); err != nil {
		return err
	}
	for name, value := range set {
		env[name] = value
	}
	if rankFromLauncher() != "0" || os.Getenv("LAGGARD_WATCHED") != "" {
		return nil
	}
	size, _ := strconv.Atoi(firstEnv("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"))
	if err := writeManifest(dir, f, id, command, size); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fmt.Fprintf(a.err, "laggard: recording in %s\n", dir)
	return a.startBeside(f, "watch", dir)
}

// onlyRun refuses a directory that holds another run.
func onlyRun(dir string, id uint64) error {
	text, err := os.ReadFile(filepath.Join(dir, model.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := model.ParseManifest(text)
	if err != nil {
		return err
	}
	if m.RunID != model.RunIDText(id) {
		return fmt.Errorf("%s holds another run; choose another directory", dir)
	}
	return nil
}

// startBeside starts a process of laggard's that looks after the program this
// one is about to become.
func (a *app) startBeside(f runFlags, command string, more ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{command, "--on-hang", f.onHang, "--timeout", f.timeout.String(), "--live-dir", f.liveDir, strconv.Itoa(os.Getpid())}
	if a.config != "" {
		args = append([]string{"--config", a.config}, args...)
	}
	w := exec.Command(self, append(args, more...)...)
	w.Stdout, w.Stderr = os.Stderr, os.Stderr
	return w.Start()
}

func firstEnv(names ...string) string {
	for _, n := range names {
		if v := os.Getenv(n); v != "" {
			return v
		}
	}
	return ""
}

func rankFromLauncher() string {
	return firstEnv("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID")
}

// errNoJob: exec found nothing in the environment that all ranks of a job share.
var errNoJob = errors.New("the launcher gives the ranks no common name; say where with -o DIR and set LAGGARD_RUN_ID to a hexadecimal number")

// jobKey is a name for the job that all its ranks, and no other job's, compute.
func jobKey() (string, error) {
	if id := os.Getenv("SLURM_JOB_ID"); id != "" && os.Getenv("SLURM_STEP_ID") != "" {
		return "slurm-" + id + "." + os.Getenv("SLURM_STEP_ID"), nil
	}
	if ns := firstEnv("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "FLUX_JOB_ID"); ns != "" {
		return plain(ns), nil
	}
	// MPICH's Hydra names nothing, but on one host the ranks share their parent.
	if rankFromLauncher() != "" && firstEnv("PMI_SIZE") != "" {
		return fmt.Sprintf("hydra-%d-%s", os.Getppid(), startTime(os.Getppid())), nil
	}
	return "", errNoJob
}

// startTime is when a process began, in the kernel's ticks since boot: it tells
// processes of one number apart.
func startTime(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "0"
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return "0"
	}
	return fields[19]
}

// plain keeps a launcher's name usable as part of a file name.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

// runIDFor derives the run id from the job's name, so that all ranks agree.
func runIDFor(job string) (uint64, error) {
	if text := os.Getenv("LAGGARD_RUN_ID"); text != "" {
		id, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			err = fmt.Errorf("LAGGARD_RUN_ID=%s: it is a hexadecimal number of up to 16 digits", text)
		}
		return id, err
	}
	h := fnv.New64a()
	h.Write([]byte(job))
	return h.Sum64(), nil
}

// gone tells when a process that is no child has ended.
func gone(pid int) <-chan error {
	done := make(chan error, 1)
	go func() {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			done <- nil
			return
		}
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if !errors.Is(err, unix.EINTR) {
				done <- nil
				return
			}
		}
	}()
	return done
}
