package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"laggard/report/diagnosis"
	slicereport "laggard/report/slice"
	"laggard/slicing"
)

const sliceLong = `Show which source lines could have brought the least-progressed rank to where it
is: a backward slice from its current state. The ranks that wait for it are then
added group by group, in the order of the progress dependence graph, with the lines
that each group adds.

The programs and libraries of the run are looked up at their recorded paths, in
the run directory, and under --root; they are used only if their build-id is the
recorded one. Lines need debug information (-g). Optimised code is sliced too,
but lines that the compiler merged are missing.

Exit status: 0 done, 1 nothing could be sliced, 2 usage, 4 done but data was
missing or damaged.`

const sliceExample = `  laggard slice laggard-20260312-031502-4711
  laggard slice --json RUNDIR | jq '.lines[] | "\(.file):\(.line)"'
  laggard slice --rank 7 --depth 3 RUNDIR
  laggard slice --root /mnt/cluster-root --debug-dir /mnt/debug RUNDIR`

// Limits of the slice that comes with a diagnosis, which is to be quick.
const (
	quickTime   = 3 * time.Second
	quickGroups = 8
)

type sliceFlags struct {
	diagnoseFlags
	backend      string
	rank, groups int
	budget       slicing.Budget
	loops        bool
}

func (a *app) sliceCommand() *cobra.Command {
	var f sliceFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "slice [flags] RUNDIR", Short: "Show the source lines that led the least-progressed rank to where it is",
		Long: sliceLong, Example: sliceExample,
	}, func(ctx context.Context, dir string) error { return a.printSlice(ctx, f, dir) })
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.backend, "backend", "native", "slicer `NAME`: native, dyninst")
	flags.IntVar(&f.rank, "rank", -1, "begin with rank `N` instead of the least-progressed one")
	flags.IntVar(&f.groups, "groups", 16, "slice at most `N` groups of ranks, 0 all")
	flags.IntVar(&f.budget.Depth, "depth", 0, "follow at most `N` dependences, 0 all")
	durationVar(flags, &f.budget.Time, "time", 30*time.Second, "take at most `D` for all groups together")
	flags.BoolVar(&f.loops, "loops", false, "termination-sensitive control dependence: code after a loop depends on its exit condition")
	flags.StringVar(&f.algorithm, "algorithm", "", "`NAME` of the inference, as for diagnose")
	f.register(cmd)
	return cmd
}

func (f sliceFlags) checkSlice() error {
	switch {
	case f.backend != "native" && f.backend != "dyninst":
		return usageError{fmt.Errorf("--backend must be native or dyninst, not %q", f.backend)}
	case f.rank < -1:
		return usageError{fmt.Errorf("--rank %d: no such rank", f.rank)}
	case f.groups < 0:
		return usageError{fmt.Errorf("--groups must be 0 or greater, not %d", f.groups)}
	case f.budget.Depth < 0:
		return usageError{fmt.Errorf("--depth must be 0 or greater, not %d", f.budget.Depth)}
	case f.budget.Time <= 0:
		return usageError{fmt.Errorf("--time must be positive, not %s", f.budget.Time)}
	}
	return nil
}

func (a *app) printSlice(ctx context.Context, f sliceFlags, dir string) error {
	if err := f.checkSlice(); err != nil {
		return err
	}
	q, err := a.newQuestion(f.diagnoseFlags, dir)
	if err != nil {
		return err
	}
	if err := checkDirs(dir); err != nil {
		return err
	}
	q.backend, q.loops, q.Once = f.backend, f.loops, true
	q.Rank, q.Groups, q.Budget, q.Optional = f.rank, f.groups, f.budget, false
	q.Nearest = func(found slicing.Slice) {
		fmt.Fprintf(a.err, "laggard: nearest lines so far: %s; searching further for up to %v\n", slicereport.Nearest(found), f.budget.Time)
	}
	result, err := q.answer(ctx, runInWorld, nil)
	if err != nil || result == nil {
		return err
	}
	if f.json {
		err = slicereport.JSON(a.out, result.Slices)
	} else {
		err = slicereport.Text(a.out, diagnosis.Headline(result), result.Slices)
	}
	if err != nil {
		return err
	}
	return statusError(false, result)
}

// aroundLine is how many source lines are shown on each side of one in a slice.
const aroundLine = 1
