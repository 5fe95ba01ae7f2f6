package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"laggard/job"
	"laggard/job/doctor"
	"laggard/job/preload"
	"laggard/job/watch"
	"laggard/symbol"
)

const runLong = `Run an MPI job under the recorder. The job's output and exit status pass
through unchanged. run says where the data goes, is silent while the job is
well, and when it hangs prints the diagnosis and ends it.

With --record usage, what laggard usage finds is printed after the diagnosis of a
hang, and with --exit-code at the end of any job.

Exit status: that of the launcher; with --exit-code 3 if the job hung, or if wrong
use of MPI was recorded and found.`

const runExample = `  laggard run -- mpirun -np 16 ./app
  laggard run -o /scratch/me/run7 --timeout 5m -- srun -n 64 ./app
  laggard run --on-hang keep -- mpirun -np 4 ./app     # leave it for a debugger`

// runFlags are the flags of run and exec.
type runFlags struct {
	dir, onHang, liveDir string
	record, feature      []string
	timeout              time.Duration
	exitCode             bool
}

func (f *runFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "output", "o", "",
		"run directory `DIR` to make (LAGGARD_DIR; \"\": a name with the date or the job in it)")
	flags.DurationVar(&f.timeout, "timeout", 0, "after how long without progress of any rank "+
		"the job hangs (LAGGARD_TIMEOUT; 0: 60s or twice the longest standstill)")
	flags.StringVar(&f.onHang, "on-hang", "", "what to do with a hung job, `ACTION`: diagnose prints and ends it, "+
		"keep prints and leaves it, dump only records (LAGGARD_ON_HANG; default diagnose)")
	flags.StringVar(&f.liveDir, "live-dir", "",
		"`DIR` on each node for the files while the job runs (LAGGARD_LIVE_DIR; see collect)")
	flags.StringSliceVar(&f.record, "record", nil,
		"`WHAT` to record, a list of progress (always), usage, movement, volume (LAGGARD_RECORD)")
	flags.StringArrayVar(&f.feature, "feature", nil,
		"a number `NAME=VALUE` that says how large the run is, for laggard scaling; may be repeated")
	flags.SetInterspersed(false)
}

// recording fills in what the flags leave open from the settings, and checks.
func (a *app) recording(f runFlags, cmd *cobra.Command) (job.Recording, error) {
	s := a.settings
	r := job.Recording{
		Dir: s.Run.Dir, LiveDir: s.Recorder.LiveDir, Record: s.Recorder.Record, Library: s.Recorder.Library,
		Settings: s.recorderEnv(), Version: version, Timeout: time.Duration(s.Run.Timeout), OnHang: s.Run.OnHang,
		Say: a.err, Anonymous: !s.Run.Command,
	}
	if s.Run.Values {
		r.Resolver = func(dir string) *symbol.Resolver { return symbol.New(symbolsHere(dir).symbols(a, "")) }
	}
	if f.dir != "" {
		r.Dir = f.dir
	}
	if f.onHang != "" {
		r.OnHang = f.onHang
	}
	if cmd.Flags().Changed("timeout") {
		r.Timeout = f.timeout
	}
	if cmd.Flags().Changed("live-dir") {
		r.LiveDir = f.liveDir
	}
	if cmd.Flags().Changed("record") {
		r.Record = f.record
	}
	if r.Timeout < 0 {
		return r, usageError{fmt.Errorf("--timeout %s: a time cannot be negative", r.Timeout)}
	}
	if !slices.Contains(watch.Actions, r.OnHang) {
		return r, usageError{fmt.Errorf("--on-hang %q: it is one of %s", r.OnHang, strings.Join(watch.Actions, ", "))}
	}
	var err error
	if r.Features, err = parseFeatures(f.feature); err != nil {
		return r, err
	}
	if r.Record, err = preload.Ordered(r.Record); err != nil {
		return r, usageError{fmt.Errorf("--record: %w", err)}
	}
	if r.LiveDir != "" {
		r.LiveDir, err = filepath.Abs(r.LiveDir)
	}
	return r, err
}

func wantCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usageError{fmt.Errorf("%s wants a command behind --; see %s --help", cmd.CommandPath(), cmd.CommandPath())}
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [flags] -- LAUNCHER … PROGRAM …",
		Short:   "Run an MPI job under the recorder",
		Long:    runLong,
		Example: runExample,
		Args:    wantCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.recording(f, cmd)
			if err != nil {
				return err
			}
			return a.run(r, args, f.exitCode)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.exitCode, "exit-code", false,
		"exit with 3 if the job hung or, with --record usage, uses MPI wrongly")
	return cmd
}

func (a *app) run(r job.Recording, command []string, exitCode bool) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return usageError{fmt.Errorf("run: %w", err)}
	}
	if err := r.Prepare(command); err != nil {
		return err
	}
	hung, err := r.Run(path, command, func() { a.explain(r) })
	if hung && exitCode {
		return exitError{exitFindings}
	}
	if exitCode && slices.Contains(r.Record, "usage") {
		if found, failed := a.wrongUse(r.Dir); found {
			return exitError{exitFindings}
		} else if err == nil && failed != nil {
			return failed
		}
	}
	if !watch.Recorded(r.Dir) {
		a.unrecorded(r, command)
	} else if err != nil && !hung {
		a.failed(r, exitCode)
	}
	status, err := job.Status(err)
	if status == 0 {
		return err
	}
	return exitError{status}
}

// unrecorded says why no rank was recorded, as far as the command shows it.
func (a *app) unrecorded(r job.Recording, command []string) {
	const none = "laggard: no rank was recorded"
	if why := keptOut(r, command); why != "" {
		fmt.Fprintf(a.err, "%s: %s\n", none, why)
		return
	}
	for i, word := range command {
		if filepath.Base(word) == "env" && slices.ContainsFunc(command[i+1:], func(s string) bool {
			return s == "-" || s == "-i" || s == "--ignore-environment"
		}) {
			fmt.Fprintln(a.err, none+": env -i takes away what preloads the recorder; "+
				"put laggard exec -o DIR behind it, before the program")
			return
		}
		path, err := exec.LookPath(word)
		if err != nil {
			continue
		}
		if why := doctor.Obstacle(path); why != "" {
			fmt.Fprintf(a.err, "%s: %s %s\n", none, path, why)
			return
		}
	}
	fmt.Fprintln(a.err, none+"; laggard doctor PROGRAM says whether that program can be")
}

// containers run a program in a container; emptying are options of Apptainer that take the environment away.
var (
	containers = []string{"apptainer", "singularity", "podman", "docker", "ch-run", "enroot", "sarus", "shifter"}
	emptying   = []string{"-e", "--cleanenv", "-C", "--containall", "--compat"}
)

// keptOut says what may keep the recorder out of the containers that a command runs its ranks in, "" if it names none.
func keptOut(r job.Recording, command []string) string {
	at := slices.IndexFunc(command, func(word string) bool { return slices.Contains(containers, filepath.Base(word)) })
	if at < 0 {
		return ""
	}
	option := func(i int) bool { return strings.HasPrefix(command[i], "-") }
	name := filepath.Base(command[at])
	apptainer := name == "apptainer" || name == "singularity"
	for i := at + 1; apptainer && i < len(command) && (i < at+2 || option(i) || option(i-1)); i++ { // up to the image
		if slices.Contains(emptying, command[i]) {
			return fmt.Sprintf("%s %s takes away the variables that record, and those of the launcher; leave it out",
				name, command[i])
		}
	}
	library, _ := preload.Libraries(r.Library, nil)
	return fmt.Sprintf("the container must see %s and %s, and LD_PRELOAD must be set in it (docs/install.md); "+
		"laggard doctor PROGRAM says, in the container, whether that program can be recorded",
		filepath.Dir(library), r.Dir)
}

// failed says why a job failed, as far as it shows: ranks that did not finish MPI.
func (a *app) failed(r job.Recording, usageSaid bool) {
	fmt.Fprintf(a.err, "laggard: the job failed; laggard diagnose %s says where each rank was\n", r.Dir)
	if usageSaid {
		r.Record = nil
	}
	if watch.Unfinished(r.Dir) {
		fmt.Fprintln(a.err)
		a.explain(r)
	}
}
