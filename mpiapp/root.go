package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"laggard/job/rundir"
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

// usageError is a wrong command line or setting.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// app is what the commands share.
type app struct {
	out, err io.Writer
	raw      io.Writer // out as it is, for a page
	config   string    // --config
	given    []string  // --set
	parsed   bool      // the command line was in order
	settings settings
}

// execute runs a command line and returns the exit code.
func execute(args []string, out, errw io.Writer) int {
	a := &app{raw: out, out: words.Terminal(out), err: words.Terminal(errw)}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.code(root.Execute())
}

// code says what went wrong, if anything, and gives the exit code for it.
func (a *app) code(err error) int {
	var exit exitError
	var usage usageError
	var shared *reduce.RankError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	}
	if !agreed(err) {
		cause := err
		if errors.As(err, &shared) {
			cause = shared.Err // which analysis rank met it first says nothing to a user
		}
		fmt.Fprintf(a.err, "laggard: %v\n", cause)
	}
	if errors.As(err, &usage) || errors.Is(err, model.ErrNoRun) || errors.Is(err, rundir.ErrNotEmpty) || !a.parsed {
		return exitUsage
	}
	return exitFailed
}

const rootLong = `laggard answers, for a hung, slow or crashed MPI job: which rank, which line,
who waits on it and why, and how sure that is.

Put it before the launcher, or before the program behind any launcher:

  laggard run -- mpirun -np 16 ./app
  srun -n 64 laggard exec -- ./app

When the job hangs, run prints the diagnosis. Later, on any machine:

  laggard diagnose RUNDIR`

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
				return usageError{fmt.Errorf("unknown command %q; laggard --help lists them", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.parsed = true
			var err error
			a.settings, err = loadSettings(a.config, a.given...)
			return err
		},
	}
	root.PersistentFlags().StringVar(&a.config, "config", "", "TOML `FILE` with settings (LAGGARD_CONFIG)")
	root.PersistentFlags().StringArrayVar(&a.given, "set", nil,
		"a setting `KEY=VALUE` that beats file and environment, such as recorder.max_mb=128; may be repeated")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s: %w; see %s --help", cmd.CommandPath(), err, cmd.CommandPath())}
	})
	root.AddCommand(
		a.runCommand(), a.inTestCommand(), a.execCommand(), a.watchCommand(), a.keepCommand(), a.collectCommand(),
		a.attachCommand(), a.importCommand(),
		a.diagnoseCommand(), a.sliceCommand(), a.usageCommand(), a.movementCommand(), a.scalingCommand(),
		a.viewCommand(), a.inspectCommand(), a.injectCommand(), a.synthCommand(), a.doctorCommand(),
		a.configCommand(), a.manualCommand(),
	)
	return root
}

// oneRunDir accepts exactly one argument, the run directory.
func oneRunDir(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	path := cmd.CommandPath()
	return usageError{fmt.Errorf("%s wants one run directory, got %d arguments; see %s --help", path, len(args), path)}
}
