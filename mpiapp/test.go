package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"laggard/job"
	"laggard/job/watch"
	"laggard/report/ci"
	"laggard/report/diagnosis"
	usagereport "laggard/report/usage"
)

const inTestLong = `Run one test of a suite under the recorder: a test that hangs is ended, and says
why, instead of using up the time of the whole suite. A test that passes leaves
nothing behind. With --record usage, wrong use of MPI is reported as well.

With GITHUB_ACTIONS, findings become annotations and the outcome goes to the summary of
the step. For CTest and make check: put "laggard test --" before the launcher.

Exit status: that of the test; 124 if it hung, as timeout(1) has it.`

const inTestExample = `  laggard test --timeout 30s -- mpirun -n 4 ./test_halo
  laggard test --junit halo.xml -- mpirun -n 4 python -m pytest tests/parallel
  laggard test --record usage --sarif laggard.sarif -- srun -n 8 ./test_io`

// exitHung is the exit status of a test that hung.
const exitHung = 124

// testFlags are the flags of test; each form has a file.
type testFlags struct {
	runFlags
	name string
	ci.Files
}

func (a *app) inTestCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use: "test [flags] -- LAUNCHER … PROGRAM …", Short: "Run a test that may hang, and say where it did",
		Long: inTestLong, Example: inTestExample, Args: wantCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.onHang = watch.Diagnose
			r, err := a.recording(f.runFlags, cmd)
			if err != nil {
				return err
			}
			return a.inTest(r, f, args)
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "the test's `NAME` in reports (default: its command)")
	flags.StringVar(&f.JUnit, "junit", "", "write JUnit's XML to `FILE`")
	flags.StringVar(&f.SARIF, "sarif", "", "write SARIF 2.1.0 to `FILE`")
	flags.StringVar(&f.CodeQuality, "code-quality", "", "write GitLab's code quality report to `FILE`")
	return cmd
}

func (a *app) inTest(r job.Recording, f testFlags, command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return usageError{fmt.Errorf("test: %w", err)}
	}
	if err := r.Prepare(command); err != nil {
		return err
	}
	r.Quiet = true // what a test that passes leaves is not for long
	var text bytes.Buffer
	o := ci.Outcome{Name: f.name, Command: command, Began: time.Now(), Version: version}
	o.Dir, _ = os.Getwd()
	both := *a
	both.err = io.MultiWriter(a.err, &text)
	explain := func() { o.Result = both.explained(r) }
	var ended error
	o.Hung, ended = r.Run(path, command, explain)
	o.Took = time.Since(o.Began)
	if o.Status, err = job.Status(ended); err != nil {
		return err
	}
	switch {
	case o.Hung:
		o.Status = exitHung
	case o.Failed() && watch.Unfinished(r.Dir):
		explain()
	}
	if slices.Contains(r.Record, "usage") {
		fmt.Fprintln(both.err)
		if o.Usage, err = both.used(context.Background(), usageFlags{}, r.Dir); err == nil && o.Usage != nil {
			err = usagereport.Text(both.err, o.Usage)
		}
		a.code(err)
	}
	o.Text = text.String()
	if o.RunDir = r.Dir; !o.Failed() {
		o.RunDir, err = "", os.RemoveAll(r.Dir)
	}
	if err = errors.Join(err, f.Write(&o, a.out)); err != nil || !o.Failed() {
		return err
	}
	return exitError{o.Status}
}

// explained prints a diagnosis beside the job's own output, and returns it; nil: there is none.
func (a *app) explained(r job.Recording) *diagnosis.Result {
	q, err := a.asked(diagnoseFlags{}, r.Dir)
	if err == nil {
		var result *diagnosis.Result
		if result, err = q.answer(context.Background(), inWorld); err == nil && result != nil {
			err = diagnosis.Text(a.err, result)
			a.code(err)
			return result
		}
	}
	a.code(err)
	return nil
}
