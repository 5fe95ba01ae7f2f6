package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"laggard/internal/bound"
	"laggard/internal/subprocess"
	"laggard/job"
	"laggard/job/attach"
	"laggard/job/watch"
	"laggard/report/diagnosis"
	"laggard/symbol"
)

// explainTime is how long the diagnosis of a job that is watched may take, with all optional steps.
const explainTime = 10 * time.Minute

// jobDiagnosis prints the diagnosis of a job that laggard watches.
type jobDiagnosis struct{ *app }

// printFindings prints the diagnosis of a job beside the job's own output, and the wrong use of MPI if that
// was recorded. hung: the job hangs now, so that the values of its variables can be read.
func (a jobDiagnosis) printFindings(r job.Recording, hung bool) {
	_ = a.diagnoseJob(r, hung, false)
	if slices.Contains(r.Record, "usage") {
		fmt.Fprintln(a.err)
		_, _ = usageAnalysis(a).printUsageFindings(r.Dir)
	}
}

// diagnoseJob prints a diagnosis beside the job's own output and, if it is wanted, returns it; nil: there is
// none. A process of its own makes it: whatever becomes of that, the job is ended, and what was printed stays.
func (a jobDiagnosis) diagnoseJob(r job.Recording, hung, wanted bool) (result *diagnosis.Result) {
	var copied string
	if wanted {
		dir, err := os.MkdirTemp("", "laggard-*")
		if a.reportError(err) != exitOK {
			return nil
		}
		defer os.RemoveAll(dir)
		copied = filepath.Join(dir, "diagnosis.json")
	}
	if err := a.runDiagnose(r, hung, copied); err != nil {
		fmt.Fprintf(a.err, "\nlaggard: the diagnosis failed: %v; try laggard diagnose --no-slice %s\n",
			err, r.Dir)
	}
	text, err := os.ReadFile(copied)
	if err != nil {
		return nil
	}
	result = new(diagnosis.Result)
	if err := json.Unmarshal(text, result); err != nil {
		a.reportError(err)
		return nil
	}
	return result
}

// runDiagnose has another process print the diagnosis and, unless the name is empty, write its JSON form to a file.
func (a jobDiagnosis) runDiagnose(r job.Recording, hung bool, copied string) error {
	ctx, cancel := context.WithTimeout(context.Background(), explainTime)
	defer cancel()
	cmd := selfCommand(ctx, a.diagnoseArguments(r, hung, copied)...)
	cmd.WaitDelay = time.Second
	cmd.Stdout, cmd.Stderr = a.err, a.err
	start := func() error { return subprocess.StartTied(cmd) }
	if hung {
		start = func() error { return a.startStepwise(cmd, r.Dir) }
	}
	if err := start(); err != nil {
		return err
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("it was ended after %v", explainTime)
	case errors.As(err, &exit) && (exit.ExitCode() == exitFindings || exit.ExitCode() == exitDamaged):
		return nil
	}
	return err
}

func (a jobDiagnosis) diagnoseArguments(r job.Recording, hung bool, copied string) []string {
	args := append([]string{"diagnose"}, a.settingsArguments()...)
	for _, root := range symbolsOfLocalRanks(r.Dir).roots {
		args = append(args, "--root", root)
	}
	if hung {
		args = append(args, "--stepwise")
	}
	if hung && r.OnHang == watch.Diagnose {
		args = append(args, "--ending")
	}
	if copied != "" {
		args = append(args, "--json-copy", copied)
	}
	return append(args, "--", r.Dir)
}

// stepFile is the descriptor that a diagnosis with --stepwise closes when it has printed what is known before the
// optional steps. It continues when its input ends.
const stepFile = 3

// startStepwise starts a diagnosis with --stepwise and, between its steps, notes the values of variables. Not every
// kernel lets another process than one that started the job read the memory of the ranks.
func (a jobDiagnosis) startStepwise(cmd *exec.Cmd, dir string) error {
	step, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer step.Close()
	cmd.ExtraFiles = []*os.File{end}
	input, err := cmd.StdinPipe()
	if err == nil {
		err = subprocess.StartTied(cmd)
	}
	end.Close()
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, step)
	if a.settings.Run.Values {
		if err := a.noteValues(dir); err != nil {
			fmt.Fprintf(a.err, "laggard: could not record the values of variables: %v\n", err)
		}
	}
	return input.Close()
}

// noteValues keeps what the variables of ranks on this node hold beside their record.
func (a jobDiagnosis) noteValues(dir string) error {
	resolver := symbol.New(symbolsOfLocalRanks(dir).symbolConfig(a.app, ""))
	defer resolver.Close()
	return bound.CatchPanic(func() error { // hostile code or debug information
		_, err := attach.NoteValues(dir, resolver)
		return err
	})
}

// awaitNextStep tells the process that started this one that the diagnosis is printed, and waits for it.
func awaitNextStep() {
	_ = os.NewFile(stepFile, "step").Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
