package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"laggard/report/diagnosis"
	slicereport "laggard/report/slice"
	"laggard/report/source"
	"laggard/slicing"
	"laggard/slicing/dyninst"
	"laggard/slicing/native"
	"laggard/slicing/python"
	"laggard/symbol"
)

const sliceLong = `Show which source lines could have brought the least-progressed rank to where it
is: a backward slice from the state it is in. Then the ranks that wait for it
are added one group after the other, in the order of the progress dependence
graph, with the lines that each adds.

The programs and libraries of the run are looked for at their recorded paths, in
the run directory, and under --root; they count only if their build-id is the
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

// sliceMemory is what the slices may use before memory is collected eagerly.
const sliceMemory = 448 << 20

type sliceFlags struct {
	diagnoseFlags
	backend      string
	rank, groups int
	budget       slicing.Budget
	loops        bool
}

func (a *app) sliceCommand() *cobra.Command {
	var f sliceFlags
	cmd := &cobra.Command{
		Use:     "slice [flags] RUNDIR",
		Short:   "Show the source lines that led the least-progressed rank to where it is",
		Long:    sliceLong,
		Example: sliceExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.slice(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.backend, "backend", "native", "`NAME` of what makes the slice: native, dyninst")
	flags.IntVar(&f.rank, "rank", -1, "begin with rank `N` instead of the least-progressed one")
	flags.IntVar(&f.groups, "groups", 16, "slice at most `N` groups of ranks, 0 all")
	flags.IntVar(&f.budget.Depth, "depth", 0, "follow at most `N` dependences, 0 all")
	flags.DurationVar(&f.budget.Time, "time", 30*time.Second, "take at most `D` for all groups together")
	flags.BoolVar(&f.loops, "loops", false, "what comes after a loop depends on what ends the loop")
	flags.StringVar(&f.algorithm, "algorithm", "", "`NAME` of the inference, as of diagnose")
	f.register(cmd)
	return cmd
}

func (f sliceFlags) checkSlice() error {
	switch {
	case f.backend != "native" && f.backend != "dyninst":
		return usageError{fmt.Errorf("--backend %q: it is native or dyninst", f.backend)}
	case f.rank < -1:
		return usageError{fmt.Errorf("--rank %d: there is no such rank", f.rank)}
	case f.groups < 0:
		return usageError{fmt.Errorf("--groups %d: it is a number of groups", f.groups)}
	case f.budget.Depth < 0:
		return usageError{fmt.Errorf("--depth %d: it is a number of dependences", f.budget.Depth)}
	case f.budget.Time <= 0:
		return usageError{fmt.Errorf("--time %s: there must be some", f.budget.Time)}
	}
	return nil
}

func (a *app) slice(ctx context.Context, f sliceFlags, dir string) error {
	if err := f.checkSlice(); err != nil {
		return err
	}
	q, err := a.asked(f.diagnoseFlags, dir)
	if err != nil {
		return err
	}
	if err := isDir(dir); err != nil {
		return err
	}
	q.backend, q.loops, q.Once = f.backend, f.loops, true
	q.Rank, q.Groups, q.Budget, q.Optional = f.rank, f.groups, f.budget, false
	debug.SetMemoryLimit(sliceMemory)
	result, err := q.answer(ctx, inWorld)
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
	return verdict(false, result)
}

// aroundLine is how many source lines are shown on each side of one in a slice.
const aroundLine = 1

// slicer returns the backend that was asked for, or the one there is, with a note that says so.
func (q question) slicer(resolver *symbol.Resolver, finder source.Finder) (s slicing.Slicer, note string) {
	options := native.Options{Endless: q.loops, Source: finder.Text}
	if q.backend == "dyninst" {
		path, err := helper()
		if err == nil {
			return python.New(dyninst.New(path, resolver, options), finder.Text), ""
		}
		note = fmt.Sprintf("the slice was made by native: %v", err)
	}
	return python.New(native.New(resolver, options), finder.Text), note
}

// helper is the path of the Dyninst helper that belongs to this program.
func helper() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return dyninst.Find(filepath.Dir(self))
}
