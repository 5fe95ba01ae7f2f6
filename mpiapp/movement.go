package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"laggard/analysis/movement"
	"laggard/analysis/movement/recorded"
	"laggard/report"
	movementreport "laggard/report/movement"
)

const movementLong = `Find broken data movements in a run that was recorded with --record movement:
chains of copies and messages that are nearly like the usual ones but rare, and
ranks that move their data unlike the others. Without an outlier in the whole
run, --last-phase looks at shorter and shorter spans of time from its end, where
a hang shows.

With --train, good runs say what is usual: what they have too is not reported.
Ranks that do another work than the rest, such as a master, are left out with
--ranks, or known from training.

Exit status: 0 done, 1 failed, 2 usage, 3 something was found (only with
--exit-code), 4 done but data was missing or damaged.`

const movementExample = `  laggard run --record movement -o bad -- mpirun -np 16 ./app
  laggard movement bad
  laggard movement --train good1 --train good2 bad
  laggard movement --ranks 1-15 --last-phase --html movement.html bad
  srun -n 8 laggard-mpi movement --json bad | jq '.outliers[].rank'`

type movementFlags struct {
	analysisFlags
	json, exitCode, lastPhase bool
	html, ranks               string
	train                     []string
	level                     string
	depth                     int
}

func (a *app) movementCommand() *cobra.Command {
	var f movementFlags
	cmd := &cobra.Command{
		Use:     "movement [flags] RUNDIR",
		Short:   "Find chains of data movement that are broken, and ranks unlike the others",
		Long:    movementLong,
		Example: movementExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.movement(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write the result as one page to `FILE`, - for the output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if something is found")
	flags.StringArrayVar(&f.train, "train", nil, "`RUNDIR` of a good run to compare with; may be repeated")
	flags.StringVar(&f.ranks, "ranks", "", "look only at chains that begin at the ranks of `SET`, such as 1-15")
	flags.BoolVar(&f.lastPhase, "last-phase", false,
		"if no rank is unlike the others, look at ever shorter spans of time")
	flags.StringVar(&f.level, "level", "", "`WHAT` is looked at: application, with the messages of MPI; or library, "+
		"with all that the MPI library does, if that was recorded (default as in the settings)")
	flags.IntVar(&f.depth, "depth", 1, "tell call sites apart by `N` innermost frames")
	f.analysisFlags.register(cmd)
	return cmd
}

func (a *app) movementQuestion(f movementFlags, dir string) (movement.Question, error) {
	ranks, err := parseRanks(f.ranks)
	level, badLevel := recorded.ParseLevel(cmp.Or(f.level, a.settings.Movement.Level))
	switch {
	case err != nil:
		return movement.Question{}, err
	case f.json && f.html != "":
		return movement.Question{}, usageError{errors.New("--json and --html: it is one or the other")}
	case badLevel != nil:
		return movement.Question{}, usageError{fmt.Errorf("--%w", badLevel)}
	case f.depth < 1:
		return movement.Question{}, usageError{fmt.Errorf("--depth %d: it is 1 or more", f.depth)}
	case ranks != nil && ranks.Len() == 0:
		return movement.Question{}, usageError{errors.New("--ranks: the set is empty")}
	}
	if err := f.check(); err != nil {
		return movement.Question{}, err
	}
	for _, d := range append([]string{dir}, f.train...) {
		if err := isDir(d); err != nil {
			return movement.Question{}, err
		}
	}
	return movement.Question{
		Dir: dir, Train: f.train, Ranks: ranks, LastPhase: f.lastPhase, Depth: f.depth, Level: level,
		Symbols: f.symbols(a, dir), Memory: a.settings.memory(),
	}, nil
}

func (a *app) movement(ctx context.Context, f movementFlags, dir string) error {
	q, err := a.movementQuestion(f, dir)
	if err != nil {
		return err
	}
	found, err := concluded(ctx, inWorld, f.analysts, q, movement.Run)
	if err != nil || found == nil {
		return err
	}
	result := movementreport.New(report.NewRun(found.Index), found)
	switch {
	case f.html != "":
		err = a.writePage(f.html, func(w io.Writer) error { return movementreport.HTML(w, result) })
	case f.json:
		err = report.JSON(a.out, result)
	default:
		err = movementreport.Text(a.out, result)
	}
	switch {
	case err != nil:
		return err
	case f.exitCode && result.Found():
		return exitError{exitFindings}
	case len(result.Problems) > 0:
		return exitError{exitDamaged}
	}
	return nil
}
