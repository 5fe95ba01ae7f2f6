package progress

import (
	"context"
	"os"
	"time"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/contrast"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inside"
	"laggard/analysis/progress/passed"
	"laggard/analysis/progress/unposted"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/process"
	"laggard/model/runfiles"
	"laggard/reduce"
	"laggard/symbol"
)

// Result is the answer to a [Question].
type Result struct {
	Diagnosis
	Running bool // the job made progress when it was looked at, or so shortly before that it may be no hang
	// SinceProgress is how long ago a rank of a running job was last seen to make progress; 0: just now.
	SinceProgress time.Duration
	// IterationRate is how many iterations of its outermost loop a running job makes in a second; 0: not known.
	IterationRate float64
	Index         *runfiles.Index // of the run
	Comms         []facts.Comm    // by ID
	Stacks        []facts.Stack   // that were captured
	Shown         *model.RankSet  // the ranks that the question asks for; nil: all
	Processes     map[int]Process // of least-progressed ranks, as far as known
	// Differ is by what the named ranks differ, where nothing tells them apart.
	Differ   []contrast.Difference
	Inside   inside.View        // of ranks that the library may hold
	Unsent   []Unsent           // messages that ranks of a job that hangs wait for
	Unposted []unposted.Receive // receives that ranks left out for which others wait in sends
	Inactive []Inactive         // persistent requests for such messages, which were not started
	Excluded []Excluded         // ranks that others left out of their epochs of a window, of a job that hangs
	Passed   []passed.Call      // calls that ranks of an interpreted program may have gone past
	Makers   []Maker            // the calls that made the communicators, windows and files which the result names, as far as they are known
	Spawned  []Spawned          // processes that ranks started, which are among the ranks
	Damaged  model.RankSet      // ranks whose record is damaged or missing
	Moving   model.RankSet      // ranks that make progress
	Torn     model.RankSet      // ranks that ended, or were read, during an update
	// Remaining are the ranks that left MPI_Finalize and whose process lives on this host.
	Remaining model.RankSet
	// Traced are the ranks whose process a debugger on this host has stopped.
	Traced   model.RankSet
	NoSlow   int                // looks at a running job in which no rank was behind for long; 0: one was, or it was not compared
	Problems []string           // what was missing or damaged
	Compared *Result            // what the other algorithm concludes; nil: it was not asked
	Analysts int                // analysis ranks
	Stats    reduce.Stats       // of their tree, as analysis rank 0 saw it
	Seconds  map[string]float64 // by step
	// looked is the time of the look, and iterations what the furthest rank had begun by then of its outermost loop.
	looked     time.Time
	iterations uint64
}

// Process is how a user gets at the process of a rank.
type Process struct {
	Host      string
	PID       int
	Contained bool      // PID is its number inside a container
	Alive     bool      // it exists, or gave a sign of life a moment ago
	Since     time.Time // no progress since then; zero unknown
	// WindowLock is the only call by which the rank ever locked a window; nil: there is none, or are several.
	WindowLock *model.State
}

// Run answers the question. All analysis ranks call it together; the result is
// at analysis rank 0, nil elsewhere. It is the same whatever their number. A job
// that makes progress is looked at several times. Errors wrap [model.ErrNoRun] or
// [inference.ErrUnknownAlgorithm], or are a [*share.RanksError] or a [*CommError].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	result, err := lookOnce(ctx, q, c)
	if err != nil || q.Once {
		return result, err
	}
	var seen tally
	for n := 1; n < looks; n++ {
		goesOn := result != nil && result.Running
		if goesOn, err = reduce.Broadcast(reduce.NewTree(c), reduce.JSON[bool](), goesOn, nil); err != nil {
			return nil, err
		}
		if !goesOn {
			return result, nil
		}
		seen.add(result)
		pause(ctx, lookApart)
		if result, err = lookOnce(ctx, q, c); err != nil {
			return nil, err
		}
	}
	if result == nil || !result.Running {
		return result, nil
	}
	seen.add(result)
	return seen.bestLook(), nil
}

// pause waits, but not longer than the context lasts.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// lookOnce is one analysis rank's part of one look at the run. It folds its share of
// the recorded ranks, then goes through the tree with the others.
func lookOnce(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	t, watch := reduce.NewTree(c), newStopwatch()
	l, err := readShare(ctx, q.Dir, c, t)
	if err == nil && l.known.isBeingKilled() {
		// A job that is being killed ends rank by rank: who is dead by then and
		// who is not says nothing of the cause.
		pause(ctx, settling)
		l, err = readShare(ctx, q.Dir, c, t)
	}
	if err != nil {
		return nil, err
	}
	watch.done(StepLoad)
	local, err := l.folded.Summary()
	l.folded = facts.Summariser{} // what it has is in the sum
	sum, err := reduce.Reduce(t, summaries, local, err)
	if err != nil {
		return nil, err
	}
	asked, err := reduce.Broadcast(t, summaries.Codec, sum.Question(), nil)
	if err != nil {
		return nil, err
	}
	comms, err := divergence.Gather(l.Share, l.begun.Census(), nil)
	if err != nil {
		return nil, err
	}
	opts := q.newOptions(l.Index, l.known)
	opts.Diverged, opts.Begun = q.findDivergences(comms, opts), comms
	l.readEndRequests(&opts)
	part, err := l.gatherPartials(&asked, opts)
	if err != nil {
		return nil, err
	}
	watch.done(StepBuildPDG)
	other := opts.withOtherAlgorithm()
	var second Partial
	if q.Compare {
		if second, err = l.gatherPartials(&asked, other); err != nil {
			return nil, err
		}
	}
	l.kept = nil // the ranks are asked nothing more
	result, err := l.drawConclusion(q, opts, sum, part, watch)
	if err == nil && q.Compare {
		var compared *Result
		if compared, err = l.drawConclusion(q, other, sum, second, newStopwatch()); result != nil {
			result.Compared = compared
		}
	}
	if err != nil || result == nil {
		return nil, err
	}
	result.Analysts, result.Stats = c.Size(), t.Stats()
	return result, nil
}

// looker is one analysis rank in one look at a run.
type looker struct {
	*share.Share
	known  overview         // of all analysis ranks
	folded facts.Summariser // of the share
	begun  *divergence.Counter
	kept   *facts.Keeper // the ranks of the share, as far as they will be asked again
}

// readShare finds the share of a run, decodes it some ranks at a time, and tells what
// all analysis ranks found. An error is the same at all.
func readShare(ctx context.Context, dir string, c reduce.Comm, t *reduce.Tree) (*looker, error) {
	mine, err := share.Find(dir, c, t)
	if err != nil {
		return nil, err
	}
	mine.Index.JoinWorlds()
	ranks := len(mine.Index.Slots)
	l := &looker{Share: mine, folded: facts.NewSummariser(ranks), begun: divergence.NewCounter(), kept: facts.NewKeeper(ranks)}
	o, eyes := newOverview(l.Index.Problems), newObserver(l.Index)
	l.Index.EachBatchBriefly(func(run *model.Run) {
		o.Add(run.Problems)
		for _, r := range run.Ranks {
			eyes.observeRank(r, &o)
			o.noteLatest(r.QuietSince)
			l.folded.Add(r)
			l.begun.Add(r)
			l.kept.Keep(r)
		}
	})
	eyes.observeElsewhere(ctx, l.Index, &o)
	if l.known, err = reduce.AllReduce(t, overviews, o, ctx.Err()); err != nil {
		return nil, err
	}
	l.known.Damaged = l.known.Damaged.Union(l.Index.Foreign)
	if l.known.Holes {
		l.known.Damaged = l.known.Damaged.Union(l.Index.MissingRanks())
	}
	return l, nil
}

// gatherPartials asks the algorithm of the options, all analysis ranks together; the
// answer is at rank 0.
func (l *looker) gatherPartials(sum *facts.Summary, opts Options) (Partial, error) {
	local, err := NewLocaliser(sum, opts)
	var part Partial
	if err == nil {
		l.kept.Each(local.Add)
		part = local.Partial()
	}
	return reduce.Reduce(l.Tree, partials, part, err)
}

// drawConclusion draws the conclusion at rank 0; the others say what they know of the
// processes that it names.
func (l *looker) drawConclusion(
	q Question, opts Options, sum facts.Summary, part Partial, watch *stopwatch,
) (result *Result, err error) {
	var least, alike, held model.RankSet
	var finding *Finding
	if l.Comm.Rank() == 0 {
		opts.ObjectCollectives = q.findObjectCollectives(&sum)
		finding, err = FindLP(sum, part, opts)
	}
	missing, err := l.findUnsent(finding, err)
	err = l.preferPassing(q, finding, missing, err)
	inactive, leftOut, err := l.findUnbegun(finding, err)
	if err == nil && finding != nil {
		finding.preferWaiting(inactive)
		finding.preferReceiver(missing)
		watch.done(StepFindLP)
		result = l.newResult(finding, sum)
		result.looked, result.iterations = time.Now(), part.OuterIterations()
		result.Shown, err = q.shownRanks(result.Size, sum.Comms)
		alike = finding.indistinctRanks()
		if result.LeastProgressed != nil {
			least = limitRanks(result.LeastProgressed.Ranks)
			if result.LeastProgressed.Cause == CauseLibrary {
				held = result.LeastProgressed.Ranks
			}
		}
	}
	if least, err = reduce.Broadcast(l.Tree, rankSets, least, err); err != nil {
		return nil, err
	}
	found, err := reduce.Reduce(l.Tree, processes, l.processes(least), nil)
	differ, err := l.contrastRanks(q, alike, err)
	view, err := l.collectInside(held, err)
	past, err := l.findPassed(finding, missing, err)
	excluded, err := l.findExcluded(finding, err)
	spawned, err := l.findSpawned(err)
	if result != nil {
		result.Differ, result.Inside, result.Unsent, result.Passed, result.Spawned = differ, view, missing, past, spawned
		result.Excluded, result.Inactive, result.Unposted = excluded, inactive, leftOut
	}
	makers, err := l.findMakers(result, err)
	if err != nil || result == nil {
		return nil, err
	}
	result.Makers = makers
	result.noteWindowLock(found)
	watch.done(StepOutput)
	result.Processes, result.Seconds = found, watch.seconds
	return result, nil
}

// contrastRanks compares ranks that nothing tells apart, all analysis ranks together; the
// answer is at rank 0. Their records are decoded once more.
func (l *looker) contrastRanks(q Question, alike model.RankSet, failed error) ([]contrast.Difference, error) {
	alike, err := reduce.Broadcast(l.Tree, rankSets, alike, failed)
	if err != nil || alike.Len() == 0 {
		return nil, err
	}
	counter := contrast.NewCounter(alike)
	l.Index.EachBatchBriefly(func(run *model.Run) {
		for _, r := range run.Ranks {
			counter.Add(r)
		}
	})
	tally, err := reduce.Reduce(l.Tree, contrast.Tallies, counter.Tally(), nil)
	if err != nil || l.Comm.Rank() != 0 {
		return nil, err
	}
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	return contrast.Differences(tally, func(s *model.State) string { return placeOf(resolver, s) }), nil
}

// newResult is what a finding amounts to, with what is to be said of the data it rests on.
func (l *looker) newResult(f *Finding, sum facts.Summary) *Result {
	r := &Result{
		Diagnosis: f.Diagnosis(), Running: len(l.known.Moving) > 0, Index: l.Index, Comms: sum.Comms,
		Stacks: sum.Stacks, Damaged: l.known.Damaged, Problems: l.known.Lines(),
		Moving: model.NewRankSet(l.known.Moving...), Torn: l.known.Torn, Remaining: l.known.Remaining,
		Traced: l.known.Traced,
	}
	if r.Hang && f.mayBePause() && l.known.isRecent(time.Now()) {
		r.Hang, r.Running = false, true
		r.nameNoRank()
	}
	if f.cut && f.undecided(f.Ranks) {
		r.nameNoRank()
	}
	if since := l.known.Progress; r.Running && !since.IsZero() {
		r.SinceProgress = time.Since(since)
	}
	return r
}

// maxProcesses bounds the least-progressed ranks whose processes are looked up.
const maxProcesses = 64

// limitRanks returns the first ranks of a set, as many as are looked up.
func limitRanks(ranks model.RankSet) model.RankSet {
	if ranks.Len() <= maxProcesses {
		return ranks
	}
	return model.NewRankSet(ranks.Slice()[:maxProcesses]...)
}

// processes reads again the records of a few ranks of the share for what a user
// needs to get at them.
func (l *looker) processes(ranks model.RankSet) map[int]Process {
	out := map[int]Process{}
	host, _ := os.Hostname()
	for _, r := range l.Index.LoadRanks(ranks) {
		out[r.Rank] = Process{Host: r.Host, PID: r.PID, Contained: process.IsContained(r, host),
			Alive: process.IsAlive(r, host, time.Now()), Since: r.QuietSince, WindowLock: onlyWindowLock(r)}
	}
	return out
}

// onlyWindowLock is the only call by which a rank ever locked a window; nil: there is none, or are several.
func onlyWindowLock(r *model.Rank) *model.State {
	var only *model.State
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			switch {
			case !mpi.FindFunction(s.Call).InClass(mpi.ClassWinLock):
			case only != nil:
				return nil
			default:
				only = s.WithoutAddresses()
			}
		}
	}
	return only
}

// noteWindowLock notes by which call the rank that holds the lock of a window took it.
func (r *Result) noteWindowLock(found map[int]Process) {
	if r.LeastProgressed == nil || len(r.FileLocks) > 0 {
		return
	}
	for i := range r.LeastProgressed.Reasons {
		if reason := &r.LeastProgressed.Reasons[i]; reason.Kind == HoldLock && reason.Ranks.Len() == 1 {
			reason.At = found[reason.Ranks.Min()].WindowLock
		}
	}
}

// stopwatch adds up the seconds of the named steps (PDI Figure 8).
type stopwatch struct {
	last    time.Time
	seconds map[string]float64
}

func newStopwatch() *stopwatch { return &stopwatch{time.Now(), map[string]float64{}} }

func (w *stopwatch) done(step string) {
	now := time.Now()
	w.seconds[step] += now.Sub(w.last).Seconds()
	w.last = now
}
