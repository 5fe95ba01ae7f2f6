package usage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"laggard/analysis/share"
	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Result is the answer to a [Question].
type Result struct {
	Index    *runfiles.Index   // of the run
	Findings []finding.Finding // worst first
	// Incomplete says what was missing or damaged, a line each; empty if all ranks
	// recorded all their calls and came to MPI_Finalize.
	Incomplete []string
}

// Run answers the question. All analysis ranks call it together; the result is
// at analysis rank 0, nil elsewhere. Errors wrap [ErrNoCalls] or [model.ErrNoRun].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	t := reduce.NewTree(c)
	listing, err := share.List(q.Dir, c, t)
	if err != nil {
		return nil, err
	}
	asked := listing.Manifest != nil && slices.Contains(listing.Manifest.Record, "usage")
	if q.Within > 0 && !asked {
		return nil, nil
	}
	s, err := share.OfListing(listing, c, t)
	if err != nil {
		return nil, err
	}
	if q.Within > 0 {
		bounded, stop := context.WithTimeout(ctx, q.Within)
		defer stop()
		ctx = bounded
	}
	w := shareEvidence{Question: q, budget: share.NewBudget(s.Index, nodefile.UsageStream, q.Memory), found: finding.NewGroup(),
		problems: share.NewProblems(s.Index.Problems)}
	if w.Progress == nil || c.Rank() != 0 {
		w.Progress = func(string, ...any) {}
	}
	if q.Time > 0 {
		w.until = time.Now().Add(q.Time)
	}
	failed := w.readRanks(ctx, s.Index)
	withCalls, err := reduce.AllReduce(s.Tree, sum, w.withCalls, failed)
	if err == nil && withCalls == 0 && !asked {
		err = ErrNoCalls
	}
	if err != nil {
		return nil, err
	}
	found, err := reduce.Reduce(s.Tree, findings, w.found, nil)
	if err != nil {
		return nil, err
	}
	together, err := reduce.Reduce(s.Tree, evidence, between.NewEvidence(w.digests...), nil)
	if err != nil {
		return nil, err
	}
	children, err := reduce.Reduce(s.Tree, evidence, between.NewEvidence(w.children...), nil)
	if err != nil {
		return nil, err
	}
	spawned, err := reduce.Reduce(s.Tree, sum, len(w.children), nil)
	if err != nil {
		return nil, err
	}
	problems, err := reduce.Reduce(s.Tree, share.ProblemsMonoid, w.problems, nil)
	if err != nil || c.Rank() != 0 {
		return nil, err
	}
	found.Merge(w.judge(together))
	if children.FormsWorld(spawned) {
		found.Merge(markSpawned(w.judge(children).InOrder()))
	} else if spawned > 0 {
		problems.Note("spawned", -1, fmt.Sprintf("%d processes that MPI_Comm_spawn started were checked one by one, "+
			"not together: which of them share an MPI_COMM_WORLD is not known", spawned))
	}
	w.noteUndone(&problems)
	return &Result{Index: s.Index, Findings: found.WorstFirst(), Incomplete: incompleteLines(s.Index, problems)}, nil
}

// shareEvidence is what the ranks of a share show.
type shareEvidence struct {
	Question
	budget    *share.Budget
	until     time.Time         // when time is over; zero: never
	undone    []string          // what was not compared since time was over
	found     *finding.Group    // by each rank alone
	digests   []*between.Digest // for what several ranks show together
	children  []*between.Digest // those of processes that MPI_Comm_spawn started
	withCalls int               // ranks with calls
	problems  share.Problems
}

// readRanks decodes and replays the ranks of the share, one at a time, until the
// context ends.
func (w *shareEvidence) readRanks(ctx context.Context, x *runfiles.Index) (failed error) {
	x.EachBatch(func(run *model.Run) {
		w.problems.Add(run.Problems)
		ranks := slices.DeleteFunc(slices.Clone(run.Others), func(r *model.Rank) bool { return !r.Spawned })
		for _, rank := range append(ranks, run.Ranks...) {
			if failed = ctx.Err(); failed != nil {
				return
			}
			if w.isOver() {
				w.problems.Note("not read", rank.Rank, fmt.Sprintf("rank %d: not read, since the time of --time was over", rank.Rank))
				continue
			}
			w.Progress("reading the calls of rank %d", rank.Rank)
			limits := recorded.Limits{IsTimeOver: w.isOver, IsMemoryFull: w.budget.NextRank(rank)}
			w.addRank(recorded.Load(x, rank, limits), rank.Spawned)
		}
	})
	return failed
}

// isOver reports whether the time for the analysis is over.
func (w *shareEvidence) isOver() bool { return !w.until.IsZero() && time.Now().After(w.until) }

// judge finds what ranks show together, until time is over.
func (w *shareEvidence) judge(e *between.Evidence) *finding.Group {
	found, undone := between.Judge(e, w.isOver, func(what string) { w.Progress("comparing %s", what) })
	for _, what := range undone {
		if !slices.Contains(w.undone, what) {
			w.undone = append(w.undone, what)
		}
	}
	return found
}

// noteUndone says what was not compared.
func (w *shareEvidence) noteUndone(problems *share.Problems) {
	if len(w.undone) > 0 {
		problems.Note("not compared", -1, fmt.Sprintf("the time of --time was over before all ranks were compared in: %s",
			strings.Join(w.undone, ", ")))
	}
}

// addRank replays a rank; spawned: of an MPI_COMM_WORLD of its own, with other ranks.
func (w *shareEvidence) addRank(t *recorded.Trace, spawned bool) {
	if t.CallNumber > 0 {
		w.withCalls++
	}
	d := between.NewDigester(t)
	r := replay.Run(t, d)
	digest := d.Finish(r)
	found, who := finding.NewGroup(r.Findings...), fmt.Sprintf("rank %d", t.Rank)
	if spawned {
		w.children = append(w.children, digest)
		found, who = markSpawned(r.Findings), "spawned "+who
	} else {
		w.digests = append(w.digests, digest)
	}
	w.found.Merge(found)
	switch {
	case !t.Complete:
		kind, _, _ := strings.Cut(t.Why, ":")
		w.problems.Note(kind, t.Rank, fmt.Sprintf("%s: %s", who, t.Why))
	case !r.Finalized:
		w.problems.Note("not finalized", t.Rank, who+": it did not reach MPI_Finalize")
	}
}

// markSpawned says of findings that their ranks are those of spawned processes.
func markSpawned(found []finding.Finding) *finding.Group {
	out := finding.NewGroup()
	for _, f := range found {
		f.Message = "in processes that MPI_Comm_spawn started: " + f.Message
		out.Add(f)
	}
	return out
}

func incompleteLines(x *runfiles.Index, problems share.Problems) []string {
	lines := problems.Lines()
	if x.Seen.Len() == 0 {
		lines = append(lines, "no rank left data in the run directory")
	}
	lines = append(lines, share.LeftOutNotes(x.Size, x.Duplicates, x.Others)...)
	if missing := x.MissingRanks(); missing.Len() > 0 {
		lines = append(lines, fmt.Sprintf("rank %s: no data in the run directory", missing))
	}
	return lines
}
