package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"laggard/model/progress"
	"laggard/model/symbol"
	"laggard/reduce"
	"laggard/report"
)

const diagnoseLong = `Read a run directory and say which rank is least progressed, where it is, who
waits for it, and how sure that is. The directory may be that of a job that
hangs now, or of one that ended in any way.

Exit status: 0 done, 1 failed, 2 usage, 3 a hang or a lost rank (only with
--exit-code), 4 done but data was missing or damaged.`

const diagnoseExample = `  laggard diagnose laggard-20260312-031502-4711
  laggard diagnose --json RUNDIR | jq .least_progressed.set
  laggard diagnose --dot RUNDIR | dot -Tsvg > pdg.svg
  srun -n 64 laggard-mpi diagnose RUNDIR`

type diagnoseFlags struct {
	json, dot, exitCode, noSlice bool
	algorithm, ranks, comm       string
	analysts                     int
	roots, debugDirs             []string
}

func (a *app) diagnoseCommand() *cobra.Command {
	var f diagnoseFlags
	cmd := &cobra.Command{
		Use:     "diagnose [flags] RUNDIR",
		Short:   "Name the least-progressed rank of a recorded job",
		Long:    diagnoseLong,
		Example: diagnoseExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.diagnose(f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.dot, "dot", false, "print the progress dependence graph for Graphviz")
	flags.StringVar(&f.algorithm, "algorithm", "", "`NAME` of the inference used where evidence leaves the order open: loop-aware, pdi (LAGGARD_ALGORITHM; default loop-aware)")
	flags.StringVar(&f.ranks, "ranks", "", "report only groups and edges with the ranks of `SET`, such as 0-3,7")
	flags.StringVar(&f.comm, "comm", "", "report only groups and edges with members of this communicator, by its `ID` as reported")
	flags.BoolVar(&f.noSlice, "no-slice", false, "leave out the slice of the code")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if something hangs or is lost")
	flags.IntVar(&f.analysts, "analysts", 0, "how many analysis ranks to use in this process (default: one per core)")
	flags.StringSliceVar(&f.roots, "root", nil, "`DIR` with the files of the machine the job ran on; may be repeated")
	flags.StringSliceVar(&f.debugDirs, "debug-dir", nil, "`DIR` with separate debug files; may be repeated")
	return cmd
}

// asked turns flags and settings into the question.
func (a *app) asked(f diagnoseFlags, dir string) (question, error) {
	algorithm := f.algorithm
	if algorithm == "" {
		algorithm = a.settings.Diagnose.Algorithm
	}
	if _, err := progress.NewAlgorithm(algorithm); err != nil {
		return question{}, usageError{err}
	}
	if f.json && f.dot {
		return question{}, usageError{errors.New("--json and --dot: it is one or the other")}
	}
	if f.analysts < 0 {
		return question{}, usageError{fmt.Errorf("--analysts %d: it is a number of ranks", f.analysts)}
	}
	only, err := parseOnly(f.ranks, f.comm)
	if err != nil {
		return question{}, err
	}
	q := question{
		dir:     dir,
		only:    only,
		options: progress.Options{Algorithm: algorithm},
		symbols: symbol.Config{
			RunDir:    dir,
			Roots:     append(f.roots, a.settings.Symbols.Roots...),
			DebugDirs: append(f.debugDirs, a.settings.Symbols.DebugDirs...),
		},
		analysts: f.analysts,
	}
	if q.analysts == 0 {
		q.analysts = runtime.NumCPU()
	}
	return q, nil
}

func (a *app) diagnose(f diagnoseFlags, dir string) error {
	q, err := a.asked(f, dir)
	if err != nil {
		return err
	}
	switch info, err := os.Stat(dir); {
	case err != nil:
		return usageError{fmt.Errorf("run directory: %w", err)}
	case !info.IsDir():
		return usageError{fmt.Errorf("%s is not a run directory: laggard run and exec make them", dir)}
	}
	var result *report.Result
	err = inWorld(q.analysts, func(c reduce.Comm) error {
		r, err := analyse(q, c)
		if r != nil {
			result = r
		}
		return err
	})
	if err != nil || result == nil {
		return err
	}
	if err := write(a.out, f, result); err != nil {
		return err
	}
	return verdict(f.exitCode, result)
}

func write(w io.Writer, f diagnoseFlags, r *report.Result) error {
	switch {
	case f.json:
		return report.JSON(w, r)
	case f.dot:
		return report.DOT(w, r)
	}
	return report.Text(w, r)
}

// verdict turns a result into an exit status. Damage weighs less than a
// finding that was asked for.
func verdict(exitCode bool, r *report.Result) error {
	switch {
	case exitCode && (r.Hang || len(r.LostRanks) > 0):
		return exitError{exitFindings}
	case len(r.Problems) > 0 || len(r.DamagedRanks) > 0:
		return exitError{exitDamaged}
	}
	return nil
}
