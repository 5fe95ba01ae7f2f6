package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"laggard/injector/provoke"
	"laggard/job"
	"laggard/job/rundir"
	"laggard/job/suite"
	"laggard/job/watch"
	"laggard/model/mpi"
	"laggard/report/ci"
	provokereport "laggard/report/provoke"
	usagereport "laggard/report/usage"
	"laggard/report/words"
)

const inTestLong = `Run one test of a suite under the recorder: a test that hangs is ended with a
diagnosis instead of using up the time of the whole suite. A test that passes leaves
nothing behind. With --record usage, wrong use of MPI is reported as well. Under
pytest, the test that hung fails and the remaining tests run in a new job.

With GITHUB_ACTIONS, findings become annotations and the outcome goes to the summary of
the step. For CTest and make check: put "laggard test --" before the launcher.

Exit status: that of the test; 124 if it hung, as for timeout(1). That of pytest,
if the remaining tests ran.`

const inTestExample = `  laggard test --timeout 30s -- mpirun -n 4 ./test_halo
  laggard test -- mpirun -n 4 python -m pytest --junitxml halo.xml tests/parallel
  laggard test --record usage --sarif laggard.sarif -- srun -n 8 ./test_io`

// exitHung is the exit status of a test that hung.
const exitHung = 124

// provokedTestRuns are the runs at the end of a reduction in a test suite, with what was found and without it.
const provokedTestRuns = 3

// testFlags are the flags of test; each form has a file.
type testFlags struct {
	runFlags
	name    string
	provoke int
	ci.Files
}

// hangTests runs test suites, and goes on behind a test that hangs.
type hangTests struct{ *app }

func (a hangTests) command() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use: "test [flags] -- LAUNCHER … PROGRAM …", Short: "Run a test that may hang, and report where it did",
		Long: inTestLong, Example: inTestExample, Args: requireCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.onHang = watch.Diagnose
			r, err := a.newRecording(f.runFlags, cmd)
			if err != nil {
				return err
			}
			if f.provoke < 0 {
				return usageError{fmt.Errorf("--provoke %d: must not be negative", f.provoke)}
			}
			return a.runTestJobs(r, f, args)
		},
	}
	f.registerRecording(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "the test's `NAME` in reports (default: its command)")
	flags.IntVar(&f.provoke, "provoke", 0,
		"run a test that passes `N` times more with other choices than MPI makes; see laggard provoke")
	f.Files.Register(flags)
	return cmd
}

func (a hangTests) runTestJobs(r job.Recording, f testFlags, command []string) error {
	path, err := findProgram(command)
	if err != nil {
		return err
	}
	a.separateNestedRun(&r, f.dir)
	if err := r.Prepare(command); err != nil {
		return a.execWithoutRecording(path, command, err)
	}
	tests, err := suite.Create(r.Dir)
	if err != nil {
		return err
	}
	defer tests.Remove()
	r.Quiet, r.Limit = true, tests.Limit // what a test that passes leaves is not for long
	maps.Copy(r.Settings, tests.Environment())
	first, all := r.Dir, []*ci.Outcome{}
	for {
		o, err := a.runTestJob(r, tests, path, command)
		if err != nil {
			return err
		}
		all = append(all, o)
		if o.Failed() { // else the journals are gone
			if o.Name, err = tests.PlanResume(o.Hung, o.Died(), o.Size(), o.Text); err != nil {
				return err
			}
		}
		if o.Name == "" {
			if why := tests.Unused(command); o.Hung && why != "" {
				fmt.Fprintf(a.err, "\nlaggard: %s: no further tests run\n", why)
			}
			o.Name = f.name
			break
		}
		fmt.Fprintf(a.err, "\nlaggard: the test %s did not finish; running the remaining tests in a new job\n\n", o.Name)
		r.Dir = fmt.Sprintf("%s-%d", first, len(all)+1)
		if err := r.Prepare(command); err != nil {
			return err
		}
	}
	last := all[len(all)-1]
	if f.provoke > 0 && !last.Failed() {
		if err := a.provokeTest(last, f.provoke, r, first+"-provoke", command); err != nil {
			return err
		}
	}
	if err := f.Write(all, a.out); err != nil || !last.Failed() {
		return err
	}
	return exitError{last.Status}
}

// runTestJob runs a test, or what is left of a suite, in one job.
func (a hangTests) runTestJob(r job.Recording, tests *suite.Suite, path string, command []string) (o *ci.Outcome, err error) {
	var text bytes.Buffer
	o = &ci.Outcome{Command: command, Began: time.Now(), Version: version, Dir: ci.SourceTree()}
	both := *a.app
	both.err = io.MultiWriter(a.err, &text)
	explain := func(hung bool) {
		tests.Freeze()
		if failure := tests.Failure(); hung && failure != nil {
			o.Failure = &ci.Failure{Text: failure.Headline, Place: ci.Place{File: failure.File, Line: failure.Line}}
			fmt.Fprintf(both.err, "%s\n\n", words.Upper(failure.Headline))
		}
		o.Hung, o.Result = hung, jobDiagnosis{&both}.diagnoseJob(r, hung, true)
		if by := tests.PartedText(o.Died(), o.Size()); by != "" {
			fmt.Fprint(both.err, "\n", by)
		}
	}
	var ended error
	o.Hung, ended = r.Run(path, command, func() { explain(true) })
	o.Took = time.Since(o.Began)
	if o.Status, err = job.ExitStatus(ended); err != nil {
		return nil, err
	}
	switch {
	case o.Hung:
		o.Status = exitHung
	case o.Failed() && watch.IsUnfinished(r.Dir) && !tests.IsFinished():
		explain(false)
	}
	if slices.Contains(r.Record, "usage") {
		fmt.Fprintln(both.err)
		if o.Usage, err = (usageAnalysis{&both}).findUsage(context.Background(), usageFlags{}, r.Dir); err == nil && o.Usage != nil {
			err = usagereport.Text(both.err, o.Usage)
		}
		a.reportError(err)
	}
	if test := tests.Forgotten(); test != "" {
		fmt.Fprintf(both.err, "\nlaggard: the test %s did not finish, and the new job does not have it: "+
			"its name differs from process to process\n", test)
		o.Status = exitHung
	}
	o.Text = text.String()
	if o.RunDir = r.Dir; !o.Failed() {
		o.RunDir, err = "", errors.Join(tests.Remove(), rundir.Remove(r.Dir))
	}
	return o, err
}

// provokeTest runs a test that passed with other choices than the MPI library makes. If a run fails, so did the test.
func (a hangTests) provokeTest(o *ci.Outcome, runs int, r job.Recording, dir string, command []string) error {
	var text bytes.Buffer
	both := *a.app
	both.err = io.MultiWriter(a.err, &text)
	quiet := both
	quiet.err = io.Discard
	plugin := dir + ".pytest"
	suiteEnv, err := suite.ProvokedEnvironment(plugin)
	if err != nil {
		return err
	}
	defer os.RemoveAll(plugin)
	r.Settings, r.Limit = a.settings.recorderEnv(), nil // without what a suite of tests writes
	maps.Copy(r.Settings, suiteEnv)
	f := provokeFlags{dir: dir, runs: runs, repeat: provokedTestRuns, seed: 1}
	p, result, err := perturbedRuns{&quiet}.search(f, r, ^mpi.Choice(0), command)
	if errors.Is(err, provoke.ErrUnrecorded) {
		fmt.Fprintf(a.err, "laggard: --provoke: %v\n", err)
		return os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	defer p.close()
	o.Took = time.Since(o.Began)
	if result.Failed == nil {
		return os.RemoveAll(dir)
	}
	rep := provokereport.New(result, filepath.Join(dir, scheduleName), command, p.untried)
	if err := rep.Text(both.err); err != nil {
		return err
	}
	fmt.Fprintln(both.err)
	r.Dir = result.Failed.Dir
	p.describeOutcome(o, rep)
	o.Result = jobDiagnosis{&both}.diagnoseJob(r, o.Hung, true)
	o.Text = text.String()
	return nil
}
