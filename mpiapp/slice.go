package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/reduce"
	"laggard/report/diagnosis"
	"laggard/report/slice"
	"laggard/report/source"
	"laggard/slicing"
	"laggard/slicing/calls"
	"laggard/slicing/dyninst"
	"laggard/slicing/native"
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

// sliceOptions say what is to be sliced, and how.
type sliceOptions struct {
	backend string
	rank    int // where to begin; -1 the least progressed
	groups  int // at most so many groups, 0 all
	budget  slicing.Budget
	loops   bool // termination-sensitive
	must    bool // nothing to slice is an error
}

// Limits of the slice that comes with a diagnosis, which is to be quick.
const (
	quickTime   = time.Second
	quickGroups = 8
)

// sliceMemory is what the slices may use before memory is collected eagerly.
const sliceMemory = 448 << 20

type sliceFlags struct {
	diagnoseFlags
	sliceOptions
}

func (a *app) sliceCommand() *cobra.Command {
	f := sliceFlags{sliceOptions: sliceOptions{must: true}}
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
	flags.IntVar(&f.sliceOptions.groups, "groups", 16, "slice at most `N` groups of ranks, 0 all")
	flags.IntVar(&f.budget.Depth, "depth", 0, "follow at most `N` dependences, 0 all")
	flags.DurationVar(&f.budget.Time, "time", 30*time.Second, "take at most `D` for all groups together")
	flags.BoolVar(&f.loops, "loops", false, "what comes after a loop depends on what ends the loop")
	flags.StringVar(&f.algorithm, "algorithm", "", "`NAME` of the inference, as of diagnose")
	flags.IntVar(&f.analysts, "analysts", 0, "how many analysis ranks to use in this process (default: one per core)")
	flags.StringSliceVar(&f.roots, "root", nil, "`DIR` with the files of the machine the job ran on; may be repeated")
	flags.StringSliceVar(&f.debugDirs, "debug-dir", nil, "`DIR` with separate debug files; may be repeated")
	return cmd
}

func (f sliceFlags) check() error {
	switch {
	case f.backend != "native" && f.backend != "dyninst":
		return usageError{fmt.Errorf("--backend %q: it is native or dyninst", f.backend)}
	case f.rank < -1:
		return usageError{fmt.Errorf("--rank %d: there is no such rank", f.rank)}
	case f.sliceOptions.groups < 0:
		return usageError{fmt.Errorf("--groups %d: it is a number of groups", f.sliceOptions.groups)}
	case f.budget.Depth < 0:
		return usageError{fmt.Errorf("--depth %d: it is a number of dependences", f.budget.Depth)}
	case f.budget.Time <= 0:
		return usageError{fmt.Errorf("--time %s: there must be some", f.budget.Time)}
	}
	return nil
}

func (a *app) slice(ctx context.Context, f sliceFlags, dir string) error {
	if err := f.check(); err != nil {
		return err
	}
	q, err := a.asked(f.diagnoseFlags, dir)
	if err != nil {
		return err
	}
	if err := isDir(dir); err != nil {
		return err
	}
	q.slice, q.Once = &f.sliceOptions, true
	debug.SetMemoryLimit(sliceMemory)
	result, err := concluded(q, q.analysts,
		func(q question, c reduce.Comm) (*diagnosis.Result, error) { return q.answer(ctx, c) })
	if err != nil || result == nil {
		return err
	}
	if f.json {
		err = slice.JSON(a.out, result.Slices)
	} else {
		err = slice.Text(a.out, diagnosis.Headline(result), result.Slices)
	}
	if err != nil {
		return err
	}
	return verdict(false, result)
}

// slices makes the slices that a question asks for: of the least-progressed
// ranks, and of those that wait for them.
func (q question) slices(
	laid *progress.Result, resolver *symbol.Resolver, finder source.Finder,
) ([]slice.Slice, error) {
	order, start, err := sliceOrder(laid, q.slice.rank)
	if err != nil || len(order) == 0 {
		return nil, q.noSlice(err)
	}
	if n := q.slice.groups; n > 0 && len(order) > n {
		order = order[:n]
	}
	peers := senders(q.Dir)
	var criteria []slicing.Criterion
	for _, g := range order {
		c := criterion(laid, g, q.slice.rank)
		c.Peers = peers
		criteria = append(criteria, c)
	}
	slicer, note, closing := q.slicer(resolver, finder)
	defer closing()
	steps := slicing.Union(context.Background(), slicer, criteria, q.slice.budget)
	if len(steps) > 0 && steps[0].Err != nil && q.slice.must {
		return nil, steps[0].Err
	}
	var out []slice.Slice
	for n, s := range steps {
		if s.Err != nil && !q.slice.must {
			continue
		}
		g := laid.Groups[order[n]]
		out = append(out, slice.New(slice.Source{
			Group: g.ID, Ranks: g.Ranks, Kind: g.Kind, Waiting: n >= start, Step: s, Resolver: resolver, Finder: finder, Around: aroundLine, Note: note,
		}))
	}
	return out, nil
}

// aroundLine is how many source lines are shown on each side of one in a slice.
const aroundLine = 1

var errNothingToSlice = errors.New("no rank hangs or is lost, so there is nothing to slice; --rank slices a chosen one")

func (q question) noSlice(err error) error {
	if err == nil && q.slice.must {
		return errNothingToSlice
	}
	return err
}

// slicer is the backend that was asked for, or the one there is; the caller
// closes it.
func (q question) slicer(resolver *symbol.Resolver, finder source.Finder) (s slicing.Slicer, note string, closing func()) {
	options := native.Options{Endless: q.slice.loops, Source: finder.Text}
	if q.slice.backend == "dyninst" {
		path, err := helper()
		if err == nil {
			d := dyninst.New(path, resolver, options)
			return d, "", func() { _ = d.Close() }
		}
		note = fmt.Sprintf("the slice was made by native: %v", err)
	}
	return native.New(resolver, options), note, func() {}
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

// sliceOrder lists the groups in the order of the progress dependence graph:
// first those at rank, or the least progressed, which are start in number, then
// those that wait for one that is listed. Of several that are least progressed,
// those come first whose state says most.
func sliceOrder(laid *progress.Result, rank int) (order []int, start int, err error) {
	for _, g := range laid.Groups {
		if known := g.Kind != progress.Unknown && len(g.Stack) > 0; known && (rank >= 0 && g.Ranks.Contains(rank) || rank < 0 && g.Least) {
			order = append(order, g.ID)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(telling(laid.Groups[a]), telling(laid.Groups[b])) })
	if start = len(order); rank >= 0 && start == 0 {
		return nil, 0, usageError{fmt.Errorf("--rank %d: nothing is known of such a rank", rank)}
	}
	for n := 0; n < len(order); n++ {
		var next []int
		for _, e := range laid.Edges {
			if e.To == order[n] && e.Kind != progress.EdgeUndefined && !slices.Contains(order, e.From) {
				next = append(next, e.From)
			}
		}
		slices.Sort(next)
		order = append(order, slices.Compact(next)...)
	}
	return slices.DeleteFunc(order, func(g int) bool { return laid.Groups[g].Kind == progress.Unknown || len(laid.Groups[g].Stack) == 0 }), start, nil
}

// telling ranks states by how much they say: where a rank computes, or which
// message it waits for, is more than that it came to the end.
func telling(g progress.Group) int {
	switch {
	case g.Kind == progress.Computation:
		return 0
	case g.Call == "MPI_Finalize":
		return 3
	case calls.PointToPoint(g.Call):
		return 1
	}
	return 2
}

// criterion is the state of a group: of one of its ranks, since they share it.
func criterion(laid *progress.Result, group, rank int) slicing.Criterion {
	g := laid.Groups[group]
	if rank < 0 || !g.Ranks.Contains(rank) {
		rank = g.Ranks.Min()
	}
	c := slicing.Criterion{Rank: rank, Call: g.Call, Stack: g.Stack}
	if g.Kind != progress.Computation {
		return c
	}
	// It is somewhere behind the call of its state, unless a stack tells.
	c.Call, c.Exact = "", true
	for _, s := range laid.Stacks {
		if in := s.Ranks.Intersect(g.Ranks); in.Len() > 0 {
			if !in.Contains(rank) {
				c.Rank = in.Min()
			}
			c.Stack = s.Frames
			break
		}
	}
	return c
}

// maxSenders bounds the records that are read to find where messages are sent.
const maxSenders = 64

// evenly yields at most `most` of the numbers below n, at even distances.
func evenly(n, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range min(n, most) {
			if !yield(k * n / min(n, most)) {
				return
			}
		}
	}
}

// sample scans some files of a run directory: a million ranks need not be looked
// through for a few.
func sample(dir string) (*model.Index, error) {
	all, err := model.List(dir)
	if err != nil {
		return nil, err
	}
	some := *all
	some.Files = nil
	for i := range evenly(len(all.Files), maxSenders) {
		some.Files = append(some.Files, all.Files[i])
	}
	part := some.Part(0, 1)
	v := part.Census().Verdict(some.Manifest)
	return part.Index(v, part.Claims(v)), nil
}

// senders are the calls in the run through which data go out, as far as a part
// of the ranks tells.
func senders(dir string) []slicing.Site {
	index, err := sample(dir)
	if err != nil {
		return nil
	}
	found := map[model.StateID]slicing.Site{}
	for i := range evenly(len(index.Slots), maxSenders) {
		run, err := index.Load(i, i+1)
		if err != nil {
			continue
		}
		for _, r := range run.Ranks {
			addSenders(found, r)
		}
	}
	ids := make([]model.StateID, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b model.StateID) int { return cmp.Compare(string(a[:]), string(b[:])) })
	var out []slicing.Site
	for _, id := range ids {
		out = append(out, found[id])
	}
	return out
}

func addSenders(found map[model.StateID]slicing.Site, r *model.Rank) {
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			if calls.Sends(s.Call) {
				found[s.ID] = slicing.Site{Call: s.Call, Stack: s.Stack}
			}
		}
	}
}
