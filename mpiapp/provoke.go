package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"laggard/injector/provoke"
	"laggard/job"
	"laggard/job/rundir"
	"laggard/job/signals"
	"laggard/job/watch"
	"laggard/model/mpi"
	"laggard/report"
	"laggard/report/ci"
	provokereport "laggard/report/provoke"
)

const provokeLong = `Run a program again and again, each time with other choices than the MPI library
makes where the MPI standard leaves a choice: whether a send is buffered, how late a
rank comes to a call, which sender a wildcard matches, how long a poll says no,
whether a broadcast synchronises. A correct program works with each of them. When a
run hangs, crashes, fails, or --expect rejects its output, the choices are reduced to
the fewest with which it fails, and the failed run is diagnosed.

The first run makes no such choice. It must succeed, and shows where choices are open;
if it fails, it is repeated, and two failures in three runs are a finding.
Output and record of the runs are kept in the directory given by -o.

Exit status: 0 if nothing failed, 3 if a run did, 4 if no choice is open.`

const provokeExample = `  laggard provoke -- mpirun -np 4 ./app
  laggard provoke --runs 100 --time 1h --only send,match -- mpirun -np 4 ./app
  laggard provoke --expect 'grep -q "sum = 42"' -- mpirun -np 4 ./app
  laggard run --perturb laggard-provoke-…/provoked.toml -- mpirun -np 4 ./app   # again`

// scheduleName is the file of the schedule that replays a failure.
const scheduleName = "provoked.toml"

// provokeFlags are the flags of provoke.
type provokeFlags struct {
	dir, expect  string
	only         []string
	runs, repeat int
	seed         uint64
	limit        time.Duration
	timeout      time.Duration
	json         bool
	html, name   string
	ci.Files
}

// perturbedRuns makes failures happen that depend on choices of the MPI library.
type perturbedRuns struct{ *app }

func (a perturbedRuns) command() *cobra.Command {
	var f provokeFlags
	cmd := &cobra.Command{
		Use: "provoke [flags] -- LAUNCHER … PROGRAM …", Short: "Make a failure happen that depends on timing or buffering",
		Long: provokeLong, Example: provokeExample, Args: requireCommand,
		RunE: func(cmd *cobra.Command, args []string) error { return a.provokeFailure(f, cmd, args) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` to make for the runs (default: a name with the date in it)")
	flags.StringVar(&f.expect, "expect", "", "a shell `COMMAND` that is given the output of each run and fails if it is wrong")
	flags.StringSliceVar(&f.only, "only", nil, "the `KIND`s of choices to make, of "+kindNames())
	flags.IntVar(&f.runs, "runs", 50, "perturbed runs before it is given up, `N`")
	flags.IntVar(&f.repeat, "repeat", 10, "runs at the end with what was found, and without it, `N`")
	flags.Uint64Var(&f.seed, "seed", 1, "number from which the choices are drawn, `N`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write the report and the diagnosis as one page to `FILE`, - for standard output")
	flags.StringVar(&f.name, "name", "", "the test's `NAME` in reports (default: its command)")
	f.Files.Register(flags)
	durationVar(flags, &f.limit, "time", 10*time.Minute,
		"for the runs until one fails, and again for those that reduce the failure; 0: no limit")
	durationVar(flags, &f.timeout, "timeout", 0, "after how long without progress a run is considered hung "+
		"(default: by the first run, at least 10s, or 3s if it is certain that ranks can never continue)")
	completeOneOf(cmd, "only", strings.Split(kindNames(), ", ")...)
	return cmd
}

// kindNames lists the kinds of choices.
func kindNames() string {
	var names []string
	for _, c := range mpi.AllChoices() {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

// kinds are those of --only; without it all.
func (f *provokeFlags) kinds() (all mpi.Choice, err error) {
	for _, name := range f.only {
		c, err := mpi.ParseChoice(name)
		if err != nil {
			return 0, usageError{fmt.Errorf("--only: %w", err)}
		}
		all |= c
	}
	if all == 0 {
		all = ^all
	}
	return all, nil
}

func (f *provokeFlags) check() error {
	switch {
	case f.runs < 1:
		return usageError{fmt.Errorf("--runs %d: must be at least 1", f.runs)}
	case f.repeat < 1:
		return usageError{fmt.Errorf("--repeat %d: must be at least 1", f.repeat)}
	case f.json && f.html != "":
		return usageError{errors.New("--json and --html cannot be combined")}
	case f.limit < 0 || f.timeout < 0:
		return usageError{errors.New("--time and --timeout must not be negative")}
	}
	return nil
}

func (a perturbedRuns) provokeFailure(f provokeFlags, cmd *cobra.Command, command []string) error {
	kinds, err := f.kinds()
	if err = errors.Join(err, f.check()); err != nil {
		return err
	}
	if f.dir == "" {
		f.dir = rundir.DatedName("laggard-provoke")
	}
	recording, err := a.newRecording(runFlags{onHang: watch.Diagnose, timeout: f.timeout}, cmd)
	if err != nil {
		return err
	}
	began := time.Now()
	r, result, err := a.search(f, recording, kinds, command)
	if err != nil {
		return err
	}
	defer r.close()
	return a.reportFailure(f, r, result, began)
}

// search looks for a failure of a command, in runs that are recorded as a recording says. The caller closes the runner.
func (a perturbedRuns) search(f provokeFlags, recording job.Recording, kinds mpi.Choice, command []string) (
	r *perturbedRunner, result *provoke.Result, err error) {
	if r, err = a.newRunner(f, recording, command); err != nil {
		return nil, nil, err
	}
	ctx, stop := interruptible()
	defer stop()
	search := provoke.Search{Runner: r, Runs: f.runs, Limit: f.limit, Seed: f.seed, Only: kinds, Repeat: f.repeat}
	result, err = search.Run(ctx)
	if errors.Is(err, provoke.ErrReference) {
		err = fmt.Errorf("%w; its output is in %s", err, r.outputOf(result.Unperturbed.Dir))
		if result.Unperturbed.Failure != provoke.Rejected {
			err = fmt.Errorf("%w; laggard run diagnoses it", err)
		}
	}
	if err == nil {
		err = errors.Join(r.keepOnly(result), r.writeSchedule(result))
	}
	if err != nil {
		r.close()
	}
	return r, result, err
}

// interruptible is a context that a signal cancels; its cause is then that this process is to end by the signal.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals.NotIgnored(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)...)
	go func() {
		select {
		case s := <-caught:
			cancel(signalError(s.(syscall.Signal)))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(caught); cancel(nil) }
}

// reportFailure reports what was found, with the diagnosis of a failed run, in the forms that were asked for.
func (a perturbedRuns) reportFailure(f provokeFlags, r *perturbedRunner, result *provoke.Result, began time.Time) error {
	rep := provokereport.New(result, filepath.Join(f.dir, scheduleName), r.command, r.untried)
	var text bytes.Buffer
	o := &ci.Outcome{Name: f.name, Command: r.command, Began: began, Took: time.Since(began), Version: version,
		Dir: ci.SourceTree()}
	if err := rep.Text(&text); err != nil {
		return err
	}
	about := text.Len()
	if result.Failed != nil {
		r.describeOutcome(o, rep)
		fmt.Fprintln(&text)
		about = text.Len()
		both, rec := *a.app, r.recording
		both.err, rec.Dir = &text, result.Failed.Dir
		o.Result = jobDiagnosis{&both}.diagnoseJob(rec, o.Hung, true)
	}
	o.Text = text.String()
	var err error
	switch {
	case f.html != "":
		err = a.writePage(f.html, func(w io.Writer) error { return rep.HTML(w, o.Text[about:]) })
	case f.json:
		err = report.JSON(a.out, rep)
	default:
		_, err = io.WriteString(a.out, o.Text)
	}
	log := a.out
	if f.json || f.html == "-" {
		log = a.err
	}
	if err = errors.Join(err, f.Write([]*ci.Outcome{o}, log)); err != nil {
		return err
	}
	switch {
	case result.Failed != nil:
		return exitError{exitFindings}
	case len(result.Closed) > 0:
		return exitError{exitDamaged}
	}
	return nil
}

// describeOutcome says of a test how a run of it failed, and with which choices.
func (r *perturbedRunner) describeOutcome(o *ci.Outcome, rep *provokereport.Report) {
	failed := rep.Failed
	o.RunDir, o.Status, o.Hung = failed.Dir, failed.Status, failed.Failure == provoke.Hangs
	switch {
	case o.Hung:
		o.Status = exitHung
	case o.Status == 0: // what it printed was wrong
		o.Status = exitFindings
	}
	if rep.Schedule != nil {
		o.Choices = &ci.Choices{Text: rep.Headline(), Places: r.places}
	}
}

// readSchedule reads the schedule of --perturb; "": nil.
func readSchedule(name string) (*provoke.Schedule, error) {
	if name == "" {
		return nil, nil
	}
	s, err := provoke.ReadSchedule(name)
	if err != nil {
		return nil, usageError{fmt.Errorf("--perturb: %w", err)}
	}
	return s, nil
}

// makeDir makes the directory for the runs, which must be new or empty.
func makeDir(dir string) (string, error) {
	made, err := rundir.Create(dir)
	if errors.Is(err, rundir.ErrNotEmpty) || errors.Is(err, rundir.ErrFile) {
		return "", usageError{err}
	}
	return made, err
}
