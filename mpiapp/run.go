package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
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

type runFlags struct {
	dir, onHang string
	liveDir     string             // of the node; "" the files are in dir from the start
	feature     []string           // NAME=VALUE
	numbers     map[string]float64 // the same
	record      []string           // what besides the progress; see recordable
	timeout     time.Duration
	exitCode    bool
}

func (f *runFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "output", "o", "", "run directory `DIR` to make (LAGGARD_DIR; \"\": a name with the date or the job in it)")
	flags.DurationVar(&f.timeout, "timeout", 0, "after how long without progress of any rank the job hangs (LAGGARD_TIMEOUT; 0: 60s or twice the longest standstill)")
	flags.StringVar(&f.onHang, "on-hang", "", "what to do with a hung job, `ACTION`: diagnose prints and ends it, keep prints and leaves it, dump only records (LAGGARD_ON_HANG; default diagnose)")
	flags.StringVar(&f.liveDir, "live-dir", "", "`DIR` on each node for the files while the job runs (LAGGARD_LIVE_DIR; see collect)")
	flags.StringSliceVar(&f.record, "record", nil, "`WHAT` to record, a list of progress (always), usage, movement, volume (LAGGARD_RECORD)")
	flags.StringArrayVar(&f.feature, "feature", nil, "a number `NAME=VALUE` that says how large the run is, for laggard scaling; may be repeated")
	flags.SetInterspersed(false)
}

// settle fills in what the flags leave open from the settings, and checks.
func (a *app) settle(f *runFlags, cmd *cobra.Command) error {
	if f.dir == "" {
		f.dir = a.settings.Run.Dir
	}
	if !cmd.Flags().Changed("timeout") {
		f.timeout = time.Duration(a.settings.Run.Timeout)
	}
	if f.timeout < 0 {
		return usageError{fmt.Errorf("--timeout %s: a time cannot be negative", f.timeout)}
	}
	if f.onHang == "" {
		f.onHang = a.settings.Run.OnHang
	}
	if !slices.Contains(onHang, f.onHang) {
		return usageError{fmt.Errorf("--on-hang %q: it is one of %s", f.onHang, strings.Join(onHang, ", "))}
	}
	if !cmd.Flags().Changed("live-dir") {
		f.liveDir = a.settings.Recorder.LiveDir
	}
	if f.liveDir != "" {
		var err error
		if f.liveDir, err = filepath.Abs(f.liveDir); err != nil {
			return err
		}
	}
	if !cmd.Flags().Changed("record") {
		f.record = a.settings.Recorder.Record
	}
	var err error
	if f.numbers, err = parseFeatures(f.feature); err != nil {
		return err
	}
	if f.record, err = recordList(f.record); err != nil {
		return usageError{fmt.Errorf("--record: %w", err)}
	}
	return nil
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
			if err := a.settle(&f, cmd); err != nil {
				return err
			}
			return a.run(f, args)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if the job hung or, with --record usage, uses MPI wrongly")
	return cmd
}

func (a *app) run(f runFlags, command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return usageError{fmt.Errorf("run: %w", err)}
	}
	if _, err := a.preloads(f.record); err != nil {
		return err // before a directory is made
	}
	dir, id, err := a.prepare(f, command)
	if err != nil {
		return err
	}
	env, err := a.recorderEnv(dir, f.liveDir, f.record, id)
	if err != nil {
		return err
	}
	env["LAGGARD_WATCHED"] = "1" // exec behind the launcher need not watch
	child := exec.Command(path, forward(path, command[1:], env)...)
	child.Args[0] = command[0]
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.Env = merge(os.Environ(), env)
	// A terminal's interrupt reaches the launcher too, and it decides. A reader of
	// stderr that went away must not keep a hung job from being ended.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup: the job shall ignore it too
			signal.Notify(signals, s)
		}
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	fmt.Fprintf(a.err, "laggard: recording in %s\n", dir)
	done := make(chan error, 1)
	go func() { done <- child.Wait() }()
	collected := a.keepWhile(f, dir, id)
	w := watcher{app: a, flags: f, dir: dir, own: dir, pid: child.Process.Pid}
	if f.liveDir != "" {
		w.own = livePath(f.liveDir, id)
	}
	hung, err := w.until(done, signals)
	collected()
	return a.passOn(f, dir, hung, err)
}

// prepare makes the run directory with its manifest.
func (a *app) prepare(f runFlags, command []string) (string, uint64, error) {
	dir, err := newRunDir(f.dir)
	if err != nil {
		return "", 0, err
	}
	id, err := newRunID()
	if err != nil {
		return "", 0, err
	}
	return dir, id, writeManifest(dir, f, id, command, 0)
}

// passOn turns how the launcher ended into how run ends.
func (a *app) passOn(f runFlags, dir string, hung bool, err error) error {
	if hung && f.exitCode {
		return exitError{exitFindings}
	}
	if f.exitCode && slices.Contains(f.record, "usage") {
		if found, failed := a.wrongUse(dir); found {
			return exitError{exitFindings}
		} else if err == nil && failed != nil {
			return failed
		}
	}
	var exit *exec.ExitError
	if err == nil {
		return nil
	}
	if !errors.As(err, &exit) {
		return fmt.Errorf("run: %w", err)
	}
	if !hung {
		fmt.Fprintf(a.err, "laggard: the job failed; laggard diagnose %s says where each rank was\n", dir)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exitError{128 + int(ws.Signal())}
	}
	return exitError{exit.ExitCode()}
}

// forward adds what a launcher needs to hand the environment on: OpenMPI's does
// so only when told, for ranks on other hosts.
func forward(path string, args []string, env map[string]string) []string {
	if !isOpenMPI(path) {
		return args
	}
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	var more []string
	for _, name := range names {
		more = append(more, "-x", name)
	}
	return append(more, args...)
}

// isOpenMPI tells OpenMPI's launchers from others of the same name.
func isOpenMPI(path string) bool {
	base := filepath.Base(path)
	if !strings.HasPrefix(base, "mpirun") && !strings.HasPrefix(base, "mpiexec") && !strings.HasPrefix(base, "orterun") && !strings.HasPrefix(base, "prterun") {
		return false
	}
	out, err := exec.Command(path, "--version").CombinedOutput()
	return err == nil && (strings.Contains(string(out), "Open MPI") || strings.Contains(string(out), "OpenRTE") || strings.Contains(string(out), "PRTE"))
}

// merge puts variables into an environment, over those of the same name.
func merge(environ []string, env map[string]string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := env[name]; !ok {
			out = append(out, kv)
		}
	}
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
