package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"laggard/injector/provoke"
	"laggard/job"
	"laggard/job/doctor"
	"laggard/job/launcher"
	"laggard/job/preload"
	"laggard/job/signals"
	"laggard/job/speed"
	"laggard/job/watch"
	"laggard/model/process"
	"laggard/model/runfiles"
	"laggard/report"
	"laggard/report/metrics"
	slownessreport "laggard/report/slowness"
	"laggard/report/words"
)

const runLong = `Run an MPI job under the recorder. The job's output and exit status pass
through unchanged. run prints where the data goes and nothing while the job is
well; when the job hangs, run prints the diagnosis and ends the job.

With --record usage, the findings of laggard usage are printed after the diagnosis
of a hang, and with --exit-code at the end of any job.

Exit status: that of the launcher, or the signal that ended it; never 0 if laggard
ended the job; with --exit-code 3 if it hung, or if wrong use of MPI was recorded
and found.`

const runExample = `  laggard run -- mpirun -np 16 ./app
  laggard run -o /scratch/me/run7 --timeout 5m -- srun -n 64 ./app
  laggard run --on-hang keep -- mpirun -np 4 ./app     # leave it for a debugger`

// runFlags are the flags of run and exec, some of them of test.
type runFlags struct {
	dir, onHang, liveDir string
	onSlow, metrics      string
	record, feature      []string
	timeout, killAfter   time.Duration
	exitCode             bool
}

// register adds the flags to a command that leaves the user to say what becomes of a job which hangs or is slow.
func (f *runFlags) register(cmd *cobra.Command) {
	f.registerRecording(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.onHang, "on-hang", "", "what to do with a hung job, `ACTION`: diagnose prints and ends it, "+
		"keep prints and leaves it, dump only records (LAGGARD_ON_HANG; default diagnose)")
	flags.StringVar(&f.metrics, "metrics", "", "`FILE` to keep the job's speed in, as text for Prometheus (LAGGARD_METRICS)")
	flags.StringVar(&f.onSlow, "on-slow", "", "`COMMAND` that the shell runs once for each slowdown (LAGGARD_ON_SLOW)")
}

// registerRecording adds those of the flags that a test has as well.
func (f *runFlags) registerRecording(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "output", "o", "",
		"run directory `DIR` to make (LAGGARD_DIR; \"\": a name with the date or the job in it)")
	durationVar(flags, &f.timeout, "timeout", 0, "after how long without progress of any rank "+
		"the job is considered hung (LAGGARD_TIMEOUT; 0: 5m, or 60s if it is certain that ranks can never continue)")
	durationVar(flags, &f.killAfter, "kill-after", 0, "time between SIGTERM and SIGKILL when a job is ended "+
		"(LAGGARD_KILL_AFTER; default 10s)")
	flags.StringVar(&f.liveDir, "live-dir", "",
		"`DIR` on each node for the recording while the job runs (LAGGARD_LIVE_DIR; see collect)")
	flags.StringSliceVar(&f.record, "record", nil,
		"`WHAT` to record, a list of progress (always), usage, movement, volume (LAGGARD_RECORD)")
	flags.StringArrayVar(&f.feature, "feature", nil,
		"a number `NAME=VALUE` that says how large the run is, for laggard scaling; may be repeated")
	flags.SetInterspersed(false)
}

// newRecording fills in what the flags leave open from the settings, and checks.
func (a *app) newRecording(f runFlags, cmd *cobra.Command) (job.Recording, error) {
	s := a.settings
	r := job.Recording{
		Dir: s.Run.Dir, LiveDir: s.Recorder.LiveDir, Record: s.Recorder.Record, Library: s.Recorder.Library,
		Settings: s.recorderEnv(), Version: version, Timeout: time.Duration(s.Run.Timeout), OnHang: s.Run.OnHang,
		Say: a.err, Anonymous: !s.Run.Command, KillAfter: time.Duration(s.Run.KillAfter),
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
	if cmd.Flags().Changed("kill-after") {
		r.KillAfter = f.killAfter
	}
	if cmd.Flags().Changed("live-dir") {
		r.LiveDir = f.liveDir
	}
	if cmd.Flags().Changed("record") {
		r.Record = f.record
	}
	if r.Timeout < 0 {
		return r, usageError{fmt.Errorf("--timeout %s: must not be negative", r.Timeout)}
	}
	if r.KillAfter < 0 {
		return r, usageError{fmt.Errorf("--kill-after %s: must not be negative", r.KillAfter)}
	}
	if !slices.Contains(watch.Actions, r.OnHang) {
		return r, usageError{fmt.Errorf("--on-hang %q: must be one of %s", r.OnHang, strings.Join(watch.Actions, ", "))}
	}
	var err error
	if r.Features, err = parseFeatures(f.feature); err != nil {
		return r, err
	}
	if r.Record, err = preload.OrderKinds(r.Record); err != nil {
		return r, usageError{fmt.Errorf("--record: %w", err)}
	}
	if r.LiveDir != "" {
		if r.LiveDir, err = filepath.Abs(r.LiveDir); err != nil {
			return r, err
		}
	}
	if r.Speed, err = a.newSpeedWatch(f); err != nil {
		return r, err
	}
	r.Certain = isCertainHang
	r.Helper = func(words ...string) []string { return nodeHelpers{a}.helperArguments(r, words...) }
	return r, nil
}

// newSpeedWatch follows the speed of the job as the settings say; nil: nothing does.
func (a *app) newSpeedWatch(f runFlags) (*speed.Watch, error) {
	s := a.settings.Run
	w := &speed.Watch{Command: cmp.Or(f.onSlow, s.OnSlow), MetricsFile: cmp.Or(f.metrics, s.Metrics), Say: a.err}
	if s.SlowAlerts {
		w.Sentence = slownessreport.Sentence
	}
	if w.MetricsFile == "" {
		if w.Sentence == nil {
			return nil, nil
		}
		return w, nil
	}
	var err error
	w.MetricsFile, err = filepath.Abs(w.MetricsFile)
	w.Metrics = func(out io.Writer, state speed.State) error {
		index := &runfiles.Index{Dir: state.Dir}
		if m, err := runfiles.ReadManifest(state.Dir); err == nil { // exec may not have written it yet
			index.Manifest = m
			index.ID, _ = m.ID() // checked by ReadManifest
		}
		return metrics.Write(out, report.NewRun(index),
			metrics.State{Result: state.Result, Hung: state.Hung, Running: state.Running, Quiet: state.Quiet, Now: state.Now})
	}
	return w, err
}

func requireCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usageError{fmt.Errorf("expected a command after --; see %s --help", cmd.CommandPath())}
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	var perturbBy string
	cmd := &cobra.Command{
		Use:     "run [flags] -- LAUNCHER … PROGRAM …",
		Short:   "Run an MPI job under the recorder",
		Long:    runLong,
		Example: runExample,
		Args:    requireCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.newRecording(f, cmd)
			if err != nil {
				return err
			}
			schedule, err := readSchedule(perturbBy)
			if err != nil {
				return err
			}
			if startedByLauncher(args) {
				if launcher.Rank() == "0" {
					fmt.Fprintf(a.err, "laggard: a launcher started this rank, so it is recorded as by laggard exec; "+
						"run goes before the launcher: laggard run -- mpirun … %s\n", words.ShellCommand(args...))
				}
				return a.execProgram(r, args)
			}
			a.separateNestedRun(&r, f.dir)
			return a.run(r, schedule, args, f.exitCode)
		},
	}
	f.register(cmd)
	completeOneOf(cmd, "on-hang", watch.Actions...)
	completeOneOf(cmd, "record", preload.Kinds...)
	cmd.Flags().StringVar(&perturbBy, "perturb", "", "make the choices of a schedule `FILE` that laggard provoke wrote")
	cmd.Flags().BoolVar(&f.exitCode, "exit-code", false,
		"exit with 3 if the job hung or, with --record usage, uses MPI wrongly")
	return cmd
}

// run runs a job, with the choices of a schedule unless it is nil.
func (a *app) run(r job.Recording, schedule *provoke.Schedule, command []string, exitCode bool) error {
	path, err := findProgram(command)
	if err != nil {
		return err
	}
	if err := r.Prepare(command); err != nil {
		return a.execWithoutRecording(path, command, err)
	}
	if err := perturb(&r, schedule); err != nil {
		return err
	}
	hung, err := r.Run(path, command, func() { jobDiagnosis{a}.printFindings(r, true) })
	if hung && exitCode {
		return exitError{exitFindings}
	}
	if exitCode && slices.Contains(r.Record, "usage") {
		if found, failed := (usageAnalysis{a}).printUsageFindings(r.Dir); found {
			return exitError{exitFindings}
		} else if err == nil && failed != nil {
			return failed
		}
	}
	if !watch.HasRecord(r.Dir) {
		a.explainUnrecorded(r, command, err)
	} else if err != nil && !hung {
		a.reportFailure(r, exitCode)
	} else if err == nil && a.settings.Run.Leaks {
		a.reportUnfreed(r.Dir)
	}
	if by := job.EndedBy(err); by != 0 && !hung { // a hung job was ended by laggard
		return signalError(by)
	}
	status, err := job.ExitStatus(err)
	switch {
	case status != 0:
		return exitError{status}
	case err == nil && hung && r.OnHang == watch.Diagnose: // some launchers say that all is well
		return exitError{128 + int(syscall.SIGTERM)}
	case err == nil && a.reportUnmade(r, schedule):
		return exitError{exitDamaged}
	}
	return err
}

// reportUnmade says that a run that ended well made none of the choices of a schedule, and so shows nothing; false: it made some, or had
// none to make.
func (a *app) reportUnmade(r job.Recording, schedule *provoke.Schedule) bool {
	if schedule == nil || !watch.HasRecord(r.Dir) {
		return false
	}
	run, err := runfiles.OpenPresent(r.Dir)
	if err != nil {
		return false
	}
	why, err := schedule.Unmade(run)
	if err != nil || why == "" {
		return false
	}
	fmt.Fprintf(a.err, "laggard: --perturb: no choice of the schedule was made, so this run shows nothing: %s\n", why)
	return true
}

// explainUnrecorded says why no rank was recorded, as far as the command and how it ended show it.
func (a *app) explainUnrecorded(r job.Recording, command []string, ended error) {
	const none = "laggard: no rank was recorded"
	if why := containerObstacle(r, command); why != "" {
		fmt.Fprintf(a.err, "%s: %s\n", none, why)
		return
	}
	if by := droppedBy(command); by != "" {
		fmt.Fprintf(a.err, "%s: %s drops the variables that preload the recorder; put laggard exec -o DIR directly before the program\n",
			none, by)
		return
	}
	for _, word := range command {
		path, err := exec.LookPath(word)
		if err != nil {
			continue
		}
		if why := doctor.PreloadObstacle(path); why != "" {
			fmt.Fprintf(a.err, "%s: %s %s\n", none, path, why)
			return
		}
	}
	if why := missingProgram(command); why != "" {
		fmt.Fprintf(a.err, "%s: %s\n", none, why)
		return
	}
	const check = "laggard doctor PROGRAM checks whether the program can be recorded"
	how := ""
	if by := job.EndedBy(ended); by != 0 {
		how = fmt.Sprintf("was killed by %s", signals.SignalName(by))
	} else if status, err := job.ExitStatus(ended); err == nil && status != 0 {
		how = fmt.Sprintf("failed with status %d", status)
	}
	if how == "" {
		fmt.Fprintf(a.err, "%s: either no rank called MPI_Init, or the variables that preload the recorder do not reach the ranks; then "+
			"put laggard exec -o DIR before the program; %s\n", none, check)
		return
	}
	fmt.Fprintf(a.err, "%s: the command %s before any rank called MPI_Init; if one did, %s\n", none, how, check)
}

// droppedBy says what in a command, or around it, keeps the variables that preload the recorder from the ranks; "": nothing that is known.
func droppedBy(command []string) string {
	for i, word := range command {
		switch name := filepath.Base(word); {
		case name == "env" && slices.ContainsFunc(command[i+1:], func(s string) bool {
			return s == "-" || s == "-i" || s == "--ignore-environment"
		}):
			return "env -i"
		case name == "sudo", name == "ssh" && i == 0: // ssh is also what launchers are told to use
			return name
		case name == "srun":
			if by := unexportedBy(command[i+1:]); by != "" {
				return by + " (not ALL)"
			}
		}
	}
	return ""
}

// unexportedBy is the option of srun, whose arguments are given, or the variable in place of it, by which the ranks do not get all
// variables; "": they do.
func unexportedBy(args []string) string {
	by := "SLURM_EXPORT_ENV=" + os.Getenv("SLURM_EXPORT_ENV")
	for i, word := range args {
		if _, err := exec.LookPath(word); err == nil {
			break // what follows is the program's
		}
		if strings.HasPrefix(word, "--export=") {
			by = "srun " + word
		} else if word == "--export" && i+1 < len(args) {
			by = "srun --export=" + args[i+1]
		}
	}
	_, list, _ := strings.Cut(by, "=")
	if list == "" || slices.Contains(strings.Split(list, ","), "ALL") || strings.Contains(list, "LD_PRELOAD") {
		return ""
	}
	return by
}

// missingProgram says what is wrong with the program behind a launcher, if no word of the command is one: the words that are paths, and
// no scripts for a shell. Those where there is no file come first: another is perhaps for the launcher to read. "": a word is a
// program, or none is a path.
func missingProgram(command []string) string {
	var missing, others []string
	for _, word := range command[1:] {
		_, err := findProgram([]string{word})
		if err == nil {
			return ""
		}
		if strings.HasPrefix(word, "-") || !strings.Contains(word, "/") || strings.ContainsAny(word, " ;|&") {
			continue
		}
		if _, absent := os.Stat(word); absent != nil {
			missing = append(missing, err.Error())
		} else {
			others = append(others, err.Error())
		}
	}
	if len(missing) == 0 {
		missing = others
	}
	return strings.Join(missing, "; ")
}

// containers run a program in a container; emptying are options of Apptainer that take the environment away.
var (
	containers = []string{"apptainer", "singularity", "podman", "docker", "ch-run", "enroot", "sarus", "shifter"}
	emptying   = []string{"-e", "--cleanenv", "-C", "--containall", "--compat"}
)

// containerObstacle says what may keep the recorder out of the containers that a command runs its ranks in, "" if it names none.
func containerObstacle(r job.Recording, command []string) string {
	at := slices.IndexFunc(command, func(word string) bool { return slices.Contains(containers, filepath.Base(word)) })
	if at < 0 {
		return ""
	}
	option := func(i int) bool { return strings.HasPrefix(command[i], "-") }
	name := filepath.Base(command[at])
	apptainer := name == "apptainer" || name == "singularity"
	for i := at + 1; apptainer && i < len(command) && (i < at+2 || option(i) || option(i-1)); i++ { // up to the image
		if slices.Contains(emptying, command[i]) {
			return fmt.Sprintf("%s %s drops laggard's and the launcher's environment variables; remove this option",
				name, command[i])
		}
	}
	library, _ := preload.Libraries(r.Library, nil)
	return fmt.Sprintf("the container must see %s and %s, and LD_PRELOAD must be set in it (docs/manual/install.md); "+
		"laggard doctor PROGRAM checks, in the container, whether that program can be recorded",
		filepath.Dir(library), r.Dir)
}

// failureText is what a job did that did not end well: it failed, unless it had been asked to end.
func failureText(dir string) string {
	arrived, _ := process.ReadSignals(dir) // a damaged list says nothing
	for _, s := range arrived {
		if process.AsksToEnd(s.Signal) && time.Since(s.Time) < process.EndingPeriod {
			return "ended after " + s.Name + " from outside"
		}
	}
	return "failed"
}

// reportFailure says why a job failed, as far as it shows: ranks that did not finish MPI, or that exited with another status than 0
// when they had.
func (a *app) reportFailure(r job.Recording, usageSaid bool) {
	if !watch.IsUnfinished(r.Dir) {
		fmt.Fprintf(a.err, "laggard: the job %s\n\n", failureText(r.Dir))
		_ = jobDiagnosis{a}.diagnoseJob(r, false, false)
		return
	}
	fmt.Fprintf(a.err, "laggard: the job %s; laggard diagnose %s shows where each rank was\n\n", failureText(r.Dir), r.Dir)
	if usageSaid {
		r.Record = nil
	}
	jobDiagnosis{a}.printFindings(r, false)
}
