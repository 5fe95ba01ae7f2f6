package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/job/rundir"
	"laggard/job/signals"
	"laggard/model"
	"laggard/reduce"
	"laggard/report/words"
)

// version is set by the Makefile.
var version = "devel"

// Exit codes, part of the contract with scripts.
const (
	exitOK       = 0
	exitFailed   = 1 // laggard itself failed
	exitUsage    = 2
	exitFindings = 3 // something was found, with --exit-code
	exitDamaged  = 4 // done, but data was missing or damaged
)

// exitError carries an exit code that is no failure to be printed.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

// signalError is a signal that ended the launcher, and is to end this process as well.
type signalError syscall.Signal

func (e signalError) Error() string { return "ended by " + signals.SignalName(syscall.Signal(e)) }

// usageError is a wrong command line or setting.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// app is what the commands share.
type app struct {
	out, err  io.Writer
	raw       io.Writer // out as it is, for a page
	config    string    // --config
	overrides []string  // --set
	parsed    bool      // the command line was in order
	settings  settings
	profiles  profiles
}

// execute runs a command line and returns the exit code.
func execute(args []string, out, errw io.Writer) int {
	a := &app{raw: out, out: words.Terminal(out), err: words.Terminal(errw)}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if err := checkCommand(root, args); err != nil {
		return a.reportError(err)
	}
	err := root.Execute()
	return a.reportError(errors.Join(err, a.profiles.finish()))
}

// reportError says what went wrong, if anything, and gives the exit code for it.
func (a *app) reportError(err error) int {
	var exit exitError
	var by signalError
	var usage usageError
	var shared *reduce.RankError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &by):
		signals.EndBy(syscall.Signal(by))
		return 128 + int(by)
	}
	if !printedByOtherRank(err) {
		cause := err
		if errors.As(err, &shared) {
			cause = shared.Err // which analysis rank met it first says nothing to a user
		}
		fmt.Fprintf(a.err, "laggard: %v\n", cause)
	}
	if errors.As(err, &usage) || errors.Is(err, model.ErrNoRun) || errors.Is(err, rundir.ErrNotEmpty) ||
		errors.Is(err, rundir.ErrFile) || !a.parsed {
		return exitUsage
	}
	return exitFailed
}

const rootLong = `laggard diagnoses hung, slow and crashed MPI jobs: which rank, at which line, who
waits for it and why, and how certain that is. Three commands are enough:

  laggard run -- mpirun -np 16 ./app     record a job; if it hangs, explain why and end it
  srun -n 64 laggard exec -- ./app       the same behind any launcher
  laggard diagnose RUNDIR                explain it again later, on any machine`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "laggard",
		Short:         "Find the least-progressed rank of an MPI job",
		Long:          rootLong,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q; laggard --help lists all", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.parsed = true
			var err error
			if a.settings, err = loadSettings(a.config, a.overrides...); err != nil {
				return err
			}
			return a.profiles.start()
		},
	}
	root.PersistentFlags().StringVar(&a.config, "config", "", "TOML `FILE` with settings (LAGGARD_CONFIG)")
	root.PersistentFlags().StringArrayVar(&a.overrides, "set", nil,
		"a setting `KEY=VALUE` that overrides file and environment, such as recorder.max_mb=128; may be repeated")
	a.profiles.addFlags(root.PersistentFlags())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s: %w; see %s --help", cmd.CommandPath(), err, cmd.CommandPath())}
	})
	root.AddCommand(
		a.runCommand(), hangTests{a}.command(), perturbedRuns{a}.command(), a.execCommand(),
		nodeHelpers{a}.watchCommand(), a.collectCommand(),
		runImport{a}.attachCommand(), runImport{a}.command(),
		a.diagnoseCommand(), a.sliceCommand(), usageAnalysis{a}.command(), movementAnalysis{a}.command(), scalingAnalysis{a}.command(),
		a.viewCommand(), liveView{a}.command(), timelineAnalysis{a}.command(), runComparison{a}.command(), a.inspectCommand(),
		faultInjection{a}.command(), syntheticRuns{a}.command(), a.doctorCommand(),
		a.configCommand(), a.manualCommand(), a.slicerCommand(),
	)
	root.AddCommand(nodeHelpers{a}.nodeHelperCommands()...)
	return root
}

// runDirCommand completes a command, whose texts are given, that does something with a run directory, or without an argument with the
// newest one here.
func (a *app) runDirCommand(cmd *cobra.Command, do func(ctx context.Context, dir string) error) *cobra.Command {
	cmd.ValidArgsFunction = completeRunDirs
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError{fmt.Errorf("expected one RUNDIR argument, got %d; see %s --help", len(args), cmd.CommandPath())}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := a.runDir(args)
		if err != nil {
			return err
		}
		return do(cmd.Context(), dir)
	}
	return cmd
}
