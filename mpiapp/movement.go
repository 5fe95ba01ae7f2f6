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
rare chains of copies and messages that closely resemble common ones, and ranks
that move data differently from the others. If the whole run has no outlier,
--last-phase looks at shorter and shorter spans of time before its end, where a
hang shows.

With --train, good runs define what is usual: chains that they have too are not
reported. Ranks with a different role, such as a master, are excluded with --ranks,
or known from training.

Exit status: 0 done, 1 failed, 2 usage, 3 something was found (only with
--exit-code), 4 done but data was missing or damaged, or the good
runs are of another program.`

const movementExample = `  laggard run --record movement -o bad -- mpirun -np 16 ./app
  laggard movement bad
  laggard movement --train good1 --train good2 bad
  laggard movement --ranks 1-15 --last-phase --html movement.html bad
  srun -n 8 laggard-mpi movement --json bad | jq '.outliers[].rank'`

type movementFlags struct {
	analysisFlags
	output    outputFlags
	lastPhase bool
	ranks     string
	train     []string
	level     string
	depth     int
}

// movementAnalysis reports broken chains of data movement.
type movementAnalysis struct{ *app }

func (a movementAnalysis) command() *cobra.Command {
	var f movementFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "movement [flags] RUNDIR", Short: "Find broken chains of data movement, and ranks that differ from the others",
		Long: movementLong, Example: movementExample,
	}, func(ctx context.Context, dir string) error { return a.reportMovement(ctx, f, dir) })
	f.output.register(cmd, "the result", "something is found")
	flags := cmd.Flags()
	flags.StringArrayVar(&f.train, "train", nil, "`RUNDIR` of a good run to compare with; may be repeated")
	flags.StringVar(&f.ranks, "ranks", "", "analyse only chains that begin at the ranks of `SET`, such as 1-15")
	flags.BoolVar(&f.lastPhase, "last-phase", false,
		"if no rank is an outlier, look at shorter and shorter spans before the end")
	flags.StringVar(&f.level, "level", "", "`WHAT` to analyse: application, with the messages of MPI; or library, "+
		"with all that the MPI library does, if that was recorded (default as in the settings)")
	flags.IntVar(&f.depth, "depth", 1, "number `N` of innermost frames that identify a call site")
	f.analysisFlags.register(cmd)
	return cmd
}

func (a movementAnalysis) movementQuestion(f movementFlags, dir string) (movement.Question, error) {
	ranks, err := parseRanks(f.ranks)
	level, badLevel := recorded.ParseLevel(cmp.Or(f.level, a.settings.Movement.Level))
	switch {
	case err != nil:
		return movement.Question{}, err
	case badLevel != nil:
		return movement.Question{}, usageError{fmt.Errorf("--%w", badLevel)}
	case f.depth < 1:
		return movement.Question{}, usageError{fmt.Errorf("--depth must be at least 1, not %d", f.depth)}
	case ranks != nil && ranks.Len() == 0:
		return movement.Question{}, usageError{errors.New("--ranks: the set is empty")}
	}
	if err := errors.Join(f.output.check(), f.check()); err != nil {
		return movement.Question{}, err
	}
	if err := checkDirs(append([]string{dir}, f.train...)...); err != nil {
		return movement.Question{}, err
	}
	return movement.Question{
		Dir: dir, Train: f.train, Ranks: ranks, LastPhase: f.lastPhase, Depth: f.depth, Level: level,
		Symbols: f.symbolConfig(a.app, dir), Memory: a.settings.eventMemory(),
	}, nil
}

func (a movementAnalysis) reportMovement(ctx context.Context, f movementFlags, dir string) error {
	q, err := a.movementQuestion(f, dir)
	if err != nil {
		return err
	}
	found, err := runAnalysis(ctx, runInWorld, f.analysts, q, movement.Run)
	if err != nil || found == nil {
		return err
	}
	result := movementreport.New(report.NewRun(found.Index), found)
	return a.print(f.output, output{
		result: result,
		text:   func(w io.Writer) error { return movementreport.Text(w, result) },
		page:   func(w io.Writer) error { return movementreport.HTML(w, result) },
		found:  result.Found(), damaged: len(result.Problems) > 0 || !result.Comparable(),
	})
}
